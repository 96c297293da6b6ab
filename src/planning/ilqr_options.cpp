// SPDX-License-Identifier: BSD-3-Clause
#include "ilqr_solver.hpp"

#include "quoin/core/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

const char* to_string(IlqrStop stop) {
  switch (stop) {
    case IlqrStop::converged: return "converged";
    case IlqrStop::iteration_limit: return "iteration limit";
    case IlqrStop::stalled: return "stalled";
    case IlqrStop::saddle: return "saddle";
    case IlqrStop::constraints_violated: return "constraints violated";
    case IlqrStop::initial_rollout_failed: return "initial rollout failed";
    case IlqrStop::derivatives_failed: return "derivatives failed";
    case IlqrStop::stopped_by_observer: return "stopped by observer";
  }
  return "unknown";
}

void check(const IlqrOptions& options) {
  const auto need = [](bool holds, const char* name, double value, const char* what) {
    if (!holds) {
      throw std::invalid_argument("ilqr: " + std::string(name) + " = " + to_text(value) + " must be " + what);
    }
  };
  const auto not_negative = [&](const char* name, double value) { need(value >= 0, name, value, "at least 0"); };
  const auto positive = [&](const char* name, double value) { need(value > 0, name, value, "positive"); };
  const auto one_or_more = [&](const char* name, double value) { need(value >= 1, name, value, "at least 1"); };
  not_negative("max_iterations", options.max_iterations);
  not_negative("relative_tolerance", options.relative_tolerance);
  not_negative("gradient_tolerance", options.gradient_tolerance);
  not_negative("constraint_tolerance", options.constraint_tolerance);
  not_negative("curvature_tolerance", options.curvature_tolerance);
  one_or_more("max_line_search_steps", options.max_line_search_steps);
  need(options.sufficient_decrease >= 0 && options.sufficient_decrease < 1, "sufficient_decrease",
       options.sufficient_decrease, "at least 0 and below 1");
  not_negative("initial_regularization", options.initial_regularization);
  positive("least_regularization", options.least_regularization);
  positive("greatest_regularization", options.greatest_regularization);
  positive("initial_penalty", options.initial_penalty);
  need(options.penalty_factor > 1, "penalty_factor", options.penalty_factor, "above 1");
  positive("greatest_penalty", options.greatest_penalty);
  not_negative("max_outer_iterations", options.max_outer_iterations);
  one_or_more("threads", options.threads);
  not_negative("multipliers.penalty", options.multipliers.penalty);
}

}  // namespace quoin::planning
