// SPDX-License-Identifier: BSD-3-Clause
#include "ilqr_solver.hpp"

#include "quoin/util/options_of.hpp"

namespace quoin::planning {

void check(const IlqrOptions& options) {
  const OptionsOf of{"ilqr"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative_and_finite("relative_tolerance", options.relative_tolerance);
  of.not_negative("gradient_tolerance", options.gradient_tolerance);
  of.not_negative("constraint_tolerance", options.constraint_tolerance);
  of.not_negative("curvature_tolerance", options.curvature_tolerance);
  of.one_or_more("max_line_search_steps", options.max_line_search_steps);
  of.need(options.sufficient_decrease >= 0 && options.sufficient_decrease < 1, "sufficient_decrease",
          options.sufficient_decrease, "at least 0 and below 1");
  of.not_negative("initial_regularization", options.initial_regularization);
  of.positive("min_regularization", options.min_regularization);
  of.positive("max_regularization", options.max_regularization);
  of.positive("initial_penalty", options.initial_penalty);
  of.need(options.penalty_factor > 1, "penalty_factor", options.penalty_factor, "above 1");
  of.positive("max_penalty", options.max_penalty);
  of.not_negative("max_outer_iterations", options.max_outer_iterations);
  of.one_or_more("threads", options.threads);
  of.not_negative("multipliers.penalty", options.multipliers.penalty);
}

}  // namespace quoin::planning
