// SPDX-License-Identifier: BSD-3-Clause
// The plan of the example itself.
#define main main_of_plan_with_ilqr
#include "examples/plan_with_ilqr.cpp"
#undef main

#include "benchmarks/evaluators/rounds.hpp"
#include "quoin/evaluation/threads.hpp"

namespace benchmarks::rounds {

PlanRounds pendulum(bool ahead) {
  quoin::AdaptiveGrid<2> grid(gravity_and_drag(), {.spacing = {0.8, 0.8}, .evaluate_ahead = ahead}, quoin::Threads{});
  const auto plan = swing_up_through(grid);
  return {"plan_with_ilqr", "spacing 0.8 to 0.2", ahead, grid.statistics(), plan.cost};
}

}  // namespace benchmarks::rounds
