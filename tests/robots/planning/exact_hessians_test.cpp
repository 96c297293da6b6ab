// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/ilqr.hpp"
#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// The car, which must end far from where its small controls take it: the residuals stay large.
auto reluctant_car() {
  return TrajectoryProblem<CarDynamics, ReachGoal>{
      .dynamics = {},
      .residuals = {.goal = (Vector(4) << 3, 2, 0.5, 0).finished(), .effort = 1, .precision = 1},
      .horizon = 30,
      .initial_state = (Vector(4) << 0, 0, 0, 1).finished()};
}

/// Projected gradients before each step, of full steps without regularization alone.
std::vector<double> newton_gradients(const IlqrResult& result) {
  std::vector<double> gradients;
  for (const IlqrIteration& entry : result.log)
    if (entry.iteration > 0 && entry.step == 1 && entry.regularization == 0)
      gradients.push_back(entry.projected_gradient);
  gradients.push_back(result.projected_gradient);
  return gradients;
}

}  // namespace

TEST_CASE("with exact Hessians iLQR solves a linear-quadratic problem in its first iteration as well") {
  const auto problem = random_linear_problem(2, 6, 3, 20);
  const IlqrResult expected = ilqr(problem, Matrix::Zero(3, 20));
  const IlqrResult result = ilqr(problem, Matrix::Zero(3, 20), {.exact_hessians = true});
  CHECK(result.converged());
  CHECK(result.iterations == 1);
  CHECK((result.trajectory.controls - expected.trajectory.controls).norm() <
        1e-6 * expected.trajectory.controls.norm());
}

TEST_CASE("where residuals stay large exact Hessians converge quadratically, Gauss-Newton's linearly, to one minimum") {
  const auto problem = reluctant_car();
  const IlqrOptions options{.relative_tolerance = 0, .gradient_tolerance = 1e-9};
  IlqrOptions exact_options = options;
  exact_options.exact_hessians = true;
  const Matrix start = Matrix::Zero(2, problem.horizon);
  const IlqrResult linear = ilqr(problem, start, options), newton = ilqr(problem, start, exact_options);
  INFO("Gauss-Newton " << linear.iterations << " iterations, exact " << newton.iterations);
  CHECK(newton.stop == Stop::converged);
  CHECK(newton.projected_gradient <= 1e-9);
  CHECK((newton.trajectory.controls - linear.trajectory.controls).norm() < 1e-6);
  CHECK(2 * newton.iterations <= linear.iterations);
  const std::vector<double> gradients = newton_gradients(newton);
  REQUIRE(gradients.size() >= 3);
  for (std::size_t i = 0; i < gradients.size(); ++i) UNSCOPED_INFO("gradient " << gradients[i]);
  for (std::size_t i = gradients.size() - 3; i + 1 < gradients.size(); ++i)
    CHECK(gradients[i + 1] < 10 * gradients[i] * gradients[i]);
}

TEST_CASE("exact Hessians count their derivative calls, and threads change nothing, constraints or not") {
  const auto problem = car_among_discs();
  const IlqrResult one = ilqr(problem, gentle_start(problem), {.exact_hessians = true});
  const IlqrResult two = ilqr(problem, gentle_start(problem), {.exact_hessians = true, .threads = 2});
  const IlqrResult usual = ilqr(problem, one.trajectory.controls, {.multipliers = one.multipliers});
  INFO("Gauss-Newton " << usual.iterations << " iterations, exact " << one.iterations);
  REQUIRE(one.converged());
  CHECK(one.violation <= 1e-6);
  CHECK(one.trajectory.controls == two.trajectory.controls);
  CHECK(one.trajectory.cost == Approx(usual.trajectory.cost).epsilon(1e-4));
  // n + m + 1 = 7 a step, and m + 1 = 3 of the first, for each evaluation of the Hessians.
  CHECK(one.derivative_calls >= one.iterations * (7L * (problem.horizon - 1) + 3));
  CHECK(one.derivative_calls == two.derivative_calls);
}

TEST_CASE("exact Hessians swing a cart-pole up within force bounds to a point where the gradient vanishes") {
  const auto problem = cart_pole_swing_up();
  const Matrix start = Matrix::Constant(1, problem.horizon, 0.1);
  const IlqrResult result = ilqr(problem, start, {.max_iterations = 500, .exact_hessians = true});
  const IlqrResult usual = ilqr(problem, start, {.max_iterations = 500});
  INFO("Gauss-Newton " << usual.iterations << " iterations to " << usual.trajectory.cost << ", exact "
                       << result.iterations << " to " << result.trajectory.cost);
  REQUIRE(result.converged());
  CHECK((result.trajectory.controls.array().abs() <= 20).all());
  CHECK(result.trajectory.states.col(problem.horizon).norm() < 0.2);
  CHECK(result.trajectory.cost < usual.trajectory.cost * (1 + 1e-6));
}
