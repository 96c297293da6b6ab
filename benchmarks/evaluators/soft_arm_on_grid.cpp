// SPDX-License-Identifier: BSD-3-Clause
// The plan of the example itself.
#define main main_of_soft_arm_on_grid
#include "examples/soft_arm_on_grid.cpp"
#undef main

#include "benchmarks/evaluators/rounds.hpp"

namespace benchmarks::rounds {

PlanRounds soft_arm_reach(bool ahead) {
  SoftArmGrid<3> arm = make_arm(ahead);
  const auto plan = reach_through(arm);
  return {"soft_arm_on_grid", "K = 2, spacing 1 and 0.5", ahead, arm.grid().statistics(), plan.cost};
}

}  // namespace benchmarks::rounds
