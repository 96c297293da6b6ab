// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/svg_panel.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"

#include <vector>

namespace studies {

/// A planner's exact evaluations so far against its iterations, counted on over the rounds.
struct PlanCounts {
  std::vector<double> iterations, evaluations;
  std::vector<double> starts, starts_evaluations;  ///< of the rounds after the first

  explicit PlanCounts(const Plan& plan);
};

/// Marks the first iterates of rounds after the first.
void mark_starts(figures::SvgPanel& panel, const std::vector<double>& starts, const std::vector<double>& evaluations,
                 const std::string& color);

}  // namespace studies
