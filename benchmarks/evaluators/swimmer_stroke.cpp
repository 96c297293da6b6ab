// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/evaluators/rounds.hpp"
#include "examples/studies/swimming/stroke_study.hpp"

namespace benchmarks::rounds {

PlanRounds stroke(bool ahead, double threshold) {
  studies::stroke::GridChoice choice{.spacing = 0.3, .threshold = threshold, .evaluate_ahead = ahead};
  studies::stroke::Setup setup;
  setup.chain.mesh = 2;  // f is cheap here, and how often it is asked much the same
  const studies::stroke::Fish fish(setup);
  auto grid = make_grid(fish, choice);
  const auto planned = plan_through_grid(fish, grid, choice);
  return {"swimmer_stroke", threshold < 0.3 ? "spacing 0.3 to 0.075" : "spacing 0.3", ahead, grid.statistics(),
          planned.plan.cost};
}

}  // namespace benchmarks::rounds
