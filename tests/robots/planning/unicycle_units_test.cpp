// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of ilqr promises where coordinates are zero all along the guess, in drawn units.
#include "quoin/robots/planning/ilqr.hpp"
#include "robots/planning/minimum_judge.hpp"
#include "robots/planning/side_step.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

TEST_CASE("a unicycle that steps aside from zero controls leaves the saddle there in any units") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(60);
  int converged = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const SideStep plain = drawn_side_step(generator);
    const int horizon = plain.horizon();
    SideStep scaled = plain;
    for (int i = 0; i < 3; ++i) scaled.state[i] = std::pow(10, 6 * uniform(generator));
    for (int j = 0; j < 2; ++j) scaled.control[j] = std::pow(10, 6 * uniform(generator));
    const auto problem_of = [&](const SideStep& side) {
      return TrajectoryProblem{
          .dynamics = side, .residuals = side, .horizon = horizon, .initial_state = Vector::Zero(3)};
    };
    const IlqrResult plan = ilqr(problem_of(scaled), Matrix::Zero(2, horizon));
    const Matrix controls = scaled.control.asDiagonal() * plan.trajectory.controls;
    const Judgement judgement = judge(problem_of(plain), controls, plain.effort);
    CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.trajectory.cost, judgement.least_curvature,
            scaled.state.transpose(), scaled.control.transpose(), plain.effort, plain.goal);
    if (!plan.converged()) continue;
    ++converged;
    CHECK(judgement.decrease < 7e-7);
  }
  INFO(converged << " of " << draws);
  CHECK(10 * converged >= 9 * draws);
}
