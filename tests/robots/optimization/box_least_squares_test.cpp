// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/box_least_squares.hpp"
#include "quoin/robots/optimization/box_qp.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// The residuals of a car's whole motion as one function of its controls, with J by differences of the exact rollout.
struct StackedCar {
  TrajectoryProblem<CarDynamics, ReachGoal, AvoidDiscs> problem = car_among_discs();
  Vector residuals(const Vector& controls) const {
    const Matrix u = controls.reshaped(2, problem.horizon);
    const Trajectory t = roll_out(problem, u).trajectory;
    Vector all(controls.size() + 4);
    all.head(controls.size()) = problem.residuals.effort * controls;
    all.tail(4) = problem.residuals.precision * (t.states.col(problem.horizon) - problem.residuals.goal);
    return all;
  }
  ResidualFunction function() const {
    return [this](const Vector& x, Vector& r) {
      r = residuals(x);
      return true;
    };
  }
  ResidualJacobian jacobian() const {
    return [this](const Vector& x, Vector& r, Matrix& J) {
      r = residuals(x);
      J.resize(r.size(), x.size());
      for (Eigen::Index j = 0; j < x.size(); ++j) {
        const Vector shift = 1e-6 * Vector::Unit(x.size(), j);
        J.col(j) = (residuals(x + shift) - residuals(x - shift)) / 2e-6;
      }
      return true;
    };
  }
};

}  // namespace

TEST_CASE("box least squares solves linear residuals in one iteration, to the box QP's solution") {
  std::mt19937 generator(11);
  const Matrix J = random_matrix(generator, 60, 25);
  const Vector r0 = random_matrix(generator, 60, 1);
  const Vector bound = Vector::Constant(25, 0.1);
  Vector expected = Vector::Zero(25);
  BoxQp qp;
  REQUIRE(qp.solve(J.transpose() * J, J.transpose() * r0, -bound, bound, expected) == BoxQpStatus::optimal);
  CHECK(qp.free().size() < 20);
  const auto result =
      box_least_squares([&](const Vector& x, Vector& r) { return r = J * x + r0, true; },
                        [&](const Vector& x, Vector& r, Matrix& dr) { return r = J * x + r0, dr = J, true; },
                        Vector::Constant(25, 0.05), -bound, bound);
  CHECK(result.converged());
  CHECK(result.iterations == 1);
  CHECK((result.x - expected).norm() < 1e-11);
}

TEST_CASE("box least squares reaches Rosenbrock's minimum, and the bounded one where a bound is in the way") {
  const auto rosenbrock = [](const Vector& x, Vector& r) {
    r.resize(2);
    r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
    return true;
  };
  const auto jacobian = [&](const Vector& x, Vector& r, Matrix& J) {
    J.resize(2, 2);
    J << -20 * x[0], 10, -1, 0;
    return rosenbrock(x, r);
  };
  const Vector start = (Vector(2) << -1.2, 1).finished(), low = Vector::Constant(2, -2), high = Vector::Constant(2, 2);
  const auto free = box_least_squares(rosenbrock, jacobian, start, low, high);
  CHECK(free.converged());
  CHECK((free.x - Vector::Ones(2)).norm() < 1e-7);
  const Vector cut = (Vector(2) << 0.5, 2).finished();
  const auto bounded = box_least_squares(rosenbrock, jacobian, start, low, cut, {.relative_tolerance = 1e-16});
  CHECK(bounded.converged());
  CHECK(bounded.x[0] == 0.5);
  CHECK(bounded.x[1] == Approx(0.25).epsilon(1e-9));
}

TEST_CASE("box least squares and iLQR find the same motion of a car") {
  StackedCar stacked;
  stacked.problem.constraints.discs.clear();
  const Matrix start = gentle_start(stacked.problem);
  const IlqrResult reference = ilqr(stacked.problem, start, {.relative_tolerance = 1e-13});
  REQUIRE(reference.converged());
  const Vector bound = Vector::Constant(start.size(), 2);
  const auto result = box_least_squares(stacked.function(), stacked.jacobian(), start.reshaped(), -bound, bound,
                                        {.relative_tolerance = 1e-13});
  CHECK(result.converged());
  CHECK(result.cost == Approx(reference.trajectory.cost).epsilon(1e-8));
  CHECK((result.x - reference.trajectory.controls.reshaped()).cwiseAbs().maxCoeff() < 1e-4);
}

TEST_CASE("box least squares damps steps into where residuals fail, and says where it cannot begin") {
  int failures = 0;
  const auto residual = [&](const Vector& x, Vector& r) {
    r = x.array().sqrt().matrix() - Vector::Constant(1, 0.1);
    failures += x[0] < 0;
    return x[0] >= 0;
  };
  const auto jacobian = [&](const Vector& x, Vector& r, Matrix& J) {
    J = Matrix::Constant(1, 1, 0.5 / std::sqrt(x[0]));
    return residual(x, r);
  };
  const Vector bound = Vector::Constant(1, 10);
  const auto result = box_least_squares(residual, jacobian, Vector::Constant(1, 4), -bound, bound);
  CHECK(result.converged());
  CHECK(failures > 0);
  CHECK(result.x[0] == Approx(0.01).epsilon(1e-6));
  const auto failed = box_least_squares(residual, jacobian, Vector::Constant(1, -1), -bound, bound);
  CHECK(failed.stop == quoin::Stop::initial_failed);
}

TEST_CASE("box least squares is stopped by its observer and refuses crossed bounds") {
  const auto residual = [](const Vector& x, Vector& r) { return r = x, true; };
  const auto jacobian = [](const Vector& x, Vector& r, Matrix& J) { return r = x, J.setIdentity(2, 2), true; };
  const Vector one = Vector::Ones(2);
  const auto result =
      box_least_squares(residual, jacobian, one, -one, one,
                        {.observer = [](const LeastSquaresIteration&, const Vector&) { return false; }});
  CHECK(result.stop == quoin::Stop::stopped_by_observer);
  CHECK(result.x == one);
  CHECK_THROWS_WITH(box_least_squares(residual, jacobian, one, one, -one), Catch::Contains("unknown 0"));
}

TEST_CASE("the units of residuals and of unknowns change neither where box least squares ends nor its steps") {
  const auto solve = [](double residual_unit, double unit) {
    const auto residual = [=](const Vector& z, Vector& r) {
      const Vector x = unit * z;
      r = Eigen::Vector2d(x[0] - 3, x[1] * x[1] - 2) / residual_unit;
      return true;
    };
    const auto jacobian = [=](const Vector& z, Vector& r, Matrix& J) {
      J = (Matrix(2, 2) << 1, 0, 0, 2 * unit * z[1]).finished() * unit / residual_unit;
      return residual(z, r);
    };
    const Vector bound = Vector::Constant(2, 10 / unit);
    return box_least_squares(residual, jacobian, Eigen::Vector2d(0, 1) / unit, -bound, bound);
  };
  const LeastSquaresResult expected = solve(1, 1);
  REQUIRE(expected.converged());
  CHECK((expected.x - Eigen::Vector2d(3, std::sqrt(2))).norm() < 1e-10);
  for (const double residual_unit : {1e-8, 1e-4, 1e4, 1e6, 1e8}) {
    for (const double unit : {1e-6, 1e-3, 1., 1e3, 1e6}) {
      const LeastSquaresResult result = solve(residual_unit, unit);
      CAPTURE(residual_unit, unit, to_string(result.stop));
      CHECK(result.converged());
      CHECK(result.iterations == expected.iterations);
      CHECK((unit * result.x - expected.x).norm() < 1e-9);
    }
  }
}

TEST_CASE("options of box least squares that mean nothing are refused with their name and value") {
  const auto residual = [](const Vector& x, Vector& r) { return r = x, true; };
  const auto jacobian = [](const Vector& x, Vector& r, Matrix& J) { return r = x, J.setIdentity(2, 2), true; };
  const Vector one = Vector::Ones(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const LeastSquaresOptions& options, const char* what) {
    CHECK_THROWS_AS(box_least_squares(residual, jacobian, one, -one, one, options), std::invalid_argument);
    CHECK_THROWS_WITH(box_least_squares(residual, jacobian, one, -one, one, options), Catch::Contains(what));
  };
  refused({.max_iterations = -1}, "max_iterations = -1");
  refused({.relative_tolerance = nan}, "relative_tolerance = nan");
  refused({.relative_tolerance = std::numeric_limits<double>::infinity()}, "relative_tolerance = inf");
  refused({.relative_tolerance = -1}, "relative_tolerance = -1");
  refused({.gradient_tolerance = nan}, "gradient_tolerance = nan");
  refused({.initial_damping = -1}, "initial_damping = -1");
  refused({.max_damping = nan}, "max_damping = nan");
}
