// SPDX-License-Identifier: BSD-3-Clause
// The fit of the example itself.
#define main main_of_own_optimizer
#include "examples/own_optimizer.cpp"
#undef main

#include "benchmarks/evaluators/rounds.hpp"
#include "quoin/evaluation/threads.hpp"

namespace benchmarks::rounds {

PlanRounds oscillation(bool ahead) {
  const auto f = ::oscillation();
  Eigen::VectorXd measured;
  f.evaluate(truth, measured);
  quoin::AdaptiveGrid<2> grid(f, {.spacing = {0.4, 0.4}, .evaluate_ahead = ahead}, quoin::Threads{});
  const auto solve = [&](const quoin::GridView<2>& view, const Parameters& p) { return fit(view, measured, p); };
  const auto result = quoin::interleave(grid, solve, guess, {.schedule = quoin::Levels{.first = 0, .last = 4}});
  return {"own_optimizer", "spacing 0.4 to 0.025", ahead, grid.statistics(), result.cost};
}

}  // namespace benchmarks::rounds
