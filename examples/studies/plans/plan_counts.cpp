// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/plans/plan_counts.hpp"

namespace studies {

PlanCounts::PlanCounts(const Plan& plan) {
  int round = -1;
  for (const PlanIteration& it : plan.log) {
    if (it.iteration == 0 && it.round > 0) continue;
    const auto iteration = static_cast<double>(iterations.size()), so_far = static_cast<double>(it.evaluations);
    if (it.round != round && round >= 0) {
      starts.push_back(iteration);
      starts_evaluations.push_back(so_far);
    }
    round = it.round;
    iterations.push_back(iteration);
    evaluations.push_back(so_far);
  }
}

void PlanCounts::tell(figures::ResultRow& row) const {
  row.set("iteration", iterations)
      .set("evaluations", evaluations)
      .set("level_start", starts)
      .set("level_start_evaluations", starts_evaluations);
}

}  // namespace studies
