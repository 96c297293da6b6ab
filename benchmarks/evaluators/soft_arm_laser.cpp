// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/evaluators/rounds.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"

namespace benchmarks::rounds {

PlanRounds laser(bool ahead, int jet_order) {
  studies::laser::GridChoice choice{.jet_order = 1, .evaluate_ahead = ahead};
  if (jet_order == 2) choice = {.jet_order = 2, .spacing = 0.9, .threshold = 0.9, .evaluate_ahead = ahead};
  const studies::laser::Arm<3> arm;
  studies::laser::Surrogate<3> surrogate(arm, choice);
  const auto plan = plan_through_grid(arm, surrogate, choice);
  return {"soft_arm_laser", jet_order == 2 ? "K = 2, spacing 0.9" : "K = 1, spacing 0.5 to 0.125", ahead,
          surrogate.grid().statistics(), plan.cost};
}

}  // namespace benchmarks::rounds
