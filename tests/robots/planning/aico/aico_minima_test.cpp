// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of AICO promises, asked over drawn robots whose obvious guesses are saddles.
#include "aico_minima.hpp"
#include "quoin/robots/planning/aico/aico.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// Half the square of 1 - x^2, from a place between its two minima.
bool double_well(const Vector& x, LocalTask& task) {
  task.add(Vector::Constant(1, 1 - x[0] * x[0]), Matrix::Constant(1, 1, -2 * x[0]), x);
  return true;
}

AicoProblem well_at_the_end(int horizon) {
  const Matrix one = Matrix::Identity(1, 1);
  return {.state_size = 1,
          .horizon = horizon,
          .control_cost = 1e-2 * one,
          .initial_state = Vector::Zero(1),
          .dynamics = linear_dynamics(LinearStep{one, Vector::Zero(1), one}),
          .task = [horizon](int t, const Vector& x, LocalTask& task) { return t < horizon || double_well(x, task); }};
}

}  // namespace

TEST_CASE("AICO leaves a saddle in whatever unit the state is, which its own options are in, too") {
  for (const double unit : {1e-9, 1e-6, 1e-5, 1e-3, 1., 1e3, 1e6}) {
    for (const double from : {0., 1e-3}) {
      AicoProblem problem = well_at_the_end(4);
      problem.control_cost *= 1 / (unit * unit);
      problem.initial_state[0] = from * unit;
      problem.task = [unit](int t, const Vector& x, LocalTask& task) {
        if (t < 4) return true;
        const double z = x[0] / unit;
        task.add(Vector::Constant(1, 1 - z * z), Matrix::Constant(1, 1, -2 * z / unit), x);
        return true;
      };
      const AicoResult plan = aico(problem, Matrix::Zero(1, 4),
                                   {.step_tolerance = 1e-6 * unit,
                                    .initial_damping = 1e-2 / (unit * unit),
                                    .max_damping = 1e10 / (unit * unit)});
      CAPTURE(unit, from, to_string(plan.stop), plan.cost);
      CHECK(plan.converged());
      CHECK(plan.cost < 0.002);  // 0.5 at the saddle
    }
  }
}

TEST_CASE("of drawn swing-ups and reaches none that AICO calls converged is a saddle or far from its basin's minimum") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(24);
  int converged = 0, false_before = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const SwingUp swing = drawn_swing_up(seed);
    const AicoProblem problem = aico_problem(swing);
    const Matrix guess = drawn_guess(swing, seed);
    const AicoResult trusting = aico(problem, guess, {.max_iterations = 500, .check_curvature = false});
    if (trusting.converged() && judge(problem, trusting.controls).decrease > 7e-6) ++false_before;
    const AicoResult plan = aico(problem, guess, {.max_iterations = 500});
    CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.cost, trusting.cost);
    CHECK(plan.cost <= trusting.cost);
    if (!plan.converged()) continue;
    ++converged;
    const AicoJudgement judgement = judge(problem, plan.controls);
    CAPTURE(judgement.least_curvature);
    CHECK(judgement.decrease < 7e-6);  // six relative tolerances; the judge has differences of its own
    REQUIRE(plan.log.size() == static_cast<std::size_t>(plan.iterations) + 1);
    for (std::size_t k = 1; k < plan.log.size(); ++k) CHECK(plan.log[k].cost <= plan.log[k - 1].cost);
  }
  INFO(converged << " of " << draws << " converged; without the look " << false_before << " falsely");
  CHECK(10 * converged >= 9 * draws);
  CHECK(2 * false_before >= draws);
}

TEST_CASE("where AICO ends at a minimum the look at its curvature changes nothing, and takes few calls") {
  const auto same = [](const AicoProblem& problem, const AicoOptions& options) {
    AicoOptions trusting_options = options;
    trusting_options.check_curvature = false;
    const Matrix guess = Matrix::Zero(problem.control_size(), problem.horizon);
    const AicoResult plan = aico(problem, guess, options), trusting = aico(problem, guess, trusting_options);
    CAPTURE(to_string(plan.stop), to_string(trusting.stop), plan.iterations, trusting.iterations);
    CHECK(plan.stop == trusting.stop);
    CHECK(plan.iterations == trusting.iterations);
    CHECK(plan.controls == trusting.controls);
    return plan.task_evaluations - trusting.task_evaluations;
  };
  for (unsigned seed = 1; seed <= 10; ++seed) {  // one call tells a slice that is linear
    const LinearChain chain = random_chain(seed, 4, 2, 20, 1e3, 1);
    CHECK(same(problem_of(chain), {}) == 20);
  }
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  for (int draw = 0; draw < 10; ++draw) {
    DiscScene scene{.start = Vector::Constant(3, 0.4)};
    for (double& angle : scene.start) angle += uniform(generator);
    const AicoProblem problem = arm_around_disc(scene, 30);
    // At most one for each entry and two: where the disc is far one tells.
    CHECK(same(problem, {}) <= 30 * 8);
  }
}

TEST_CASE("AICO leaves a top, by its controls or by a start that is uncertain") {
  AicoProblem well = well_at_the_end(4);
  const Matrix still = Matrix::Zero(1, 4);
  CHECK(aico(well, still, {.check_curvature = false}).iterations == 0);
  const AicoResult plan = aico(well, still);
  CHECK(plan.converged());
  CHECK(std::abs(plan.states(0, 4)) == Approx(1).epsilon(0.01));

  well.task = [](int t, const Vector& x, LocalTask& task) { return t > 0 || double_well(x, task); };
  well.initial_covariance = 100 * Matrix::Identity(1, 1);
  const AicoResult begun = aico(well, still);
  CHECK(begun.converged());
  CHECK(std::abs(begun.states(0, 0)) == Approx(1).epsilon(0.01));
  CHECK(begun.controls.norm() < 1e-3);
}

TEST_CASE("a top that AICO cannot leave is a saddle, and what it has no budget to look at is not converged") {
  const Matrix still = Matrix::Zero(1, 3);
  AicoProblem pinned = well_at_the_end(3);
  pinned.task = [](int t, const Vector& x, LocalTask& task) {
    return std::abs(x[0]) < 1e-4 && (t < 3 || double_well(x, task));
  };
  const AicoResult plan = aico(pinned, still);
  CHECK(plan.stop == Stop::saddle);
  CHECK_FALSE(plan.converged());
  CHECK(aico(well_at_the_end(3), still, {.max_task_evaluations = 5}).stop == Stop::evaluation_limit);
  CHECK(aico(well_at_the_end(3), still, {.max_iterations = 0, .check_curvature = false}).stop == Stop::iteration_limit);
  pinned.task = [](int t, const Vector& x, LocalTask& task) { return x[0] == 0 && (t < 3 || double_well(x, task)); };
  CHECK(aico(pinned, still).stop == Stop::stalled);  // no difference can be taken
}
