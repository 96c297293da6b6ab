// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"

#include <vector>

namespace studies {

/// A planner's exact evaluations so far against its iterations, counted on over the rounds.
struct PlanCounts {
  std::vector<double> iterations, evaluations;
  std::vector<double> starts, starts_evaluations;  ///< of the rounds after the first

  explicit PlanCounts(const Plan& plan);

  /// Sets what pictures of them read: iteration, evaluations, level_start, level_start_evaluations.
  void tell(figures::ResultRow& row) const;
};

}  // namespace studies
