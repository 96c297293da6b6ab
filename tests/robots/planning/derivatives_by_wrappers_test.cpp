// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/robots/dynamics/autodiff_steps.hpp"
#include "quoin/robots/dynamics/differenced_steps.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/planning/autodiff_stages.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/util/errors.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

using namespace quoin;
using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// A pendulum on a cart without its cart: two states, two controls, one of which only brakes.
const auto swings = [](const auto& x, const auto& u, auto& next) {
  using std::sin;
  next[1] = x[1] + 0.05 * (u[0] - 9.81 * sin(x[0]) - u[1] * x[1]);
  next[0] = x[0] + 0.05 * next[1];
};

template <class D>
void compare_steps(const D& differenced) {
  static_assert(DiscreteDynamics<D>);
  const AutodiffSteps exact(2, 2, swings);
  VectorXd next, expected, plain;
  MatrixXd dx, du, expected_dx, expected_du;
  for (int k = 0; k < 20; ++k) {
    const VectorXd x = Eigen::Vector2d(std::sin(k), 3 * std::cos(2 * k)), u = Eigen::Vector2d(std::cos(3 * k), 0.1 * k);
    REQUIRE(exact.step(x, u, expected, expected_dx, expected_du) == StepStatus::ok);
    REQUIRE(differenced.step(x, u, next, dx, du) == StepStatus::ok);
    REQUIRE(differenced.step(x, u, plain) == StepStatus::ok);
    CHECK(next == expected);
    CHECK(plain == expected);
    CHECK((dx - expected_dx).norm() < 1e-9);
    CHECK((du - expected_du).norm() < 1e-9);
  }
}

}  // namespace

TEST_CASE("steps by AutoDiff and by differences have the same derivatives") {
  compare_steps(AutodiffSteps(2, 2, swings));
  compare_steps(Differenced(StepFunction(2, 2, swings)));
}

TEST_CASE("differences look to one side where there is no step on the other, and say what failed on both") {
  const auto floor = [](const VectorXd& x, const VectorXd& u, VectorXd& next) {
    if (x[0] < 0) throw DomainError("below the floor");
    if (x[0] > 1) throw CornerFailure("above the ceiling");
    next = x * 2 + u;
  };
  const Differenced dynamics(StepFunction(1, 1, floor));
  VectorXd next;
  MatrixXd dx, du;
  const VectorXd u = VectorXd::Zero(1);
  CHECK(dynamics.step(VectorXd::Zero(1), u, next, dx, du) == StepStatus::ok);
  CHECK(dx(0, 0) == Approx(2));
  CHECK(dynamics.step(VectorXd::Ones(1), u, next, dx, du) == StepStatus::ok);
  CHECK(dx(0, 0) == Approx(2));
  CHECK(dynamics.step(VectorXd::Constant(1, -1), u, next, dx, du) == StepStatus::outside_domain);
  CHECK(dynamics.step(VectorXd::Constant(1, 2), u, next) == StepStatus::map_failed);
  CHECK_THROWS_AS(Differenced(StepFunction(1, 1, floor), {.step = -1}), std::invalid_argument);
  CHECK_THROWS_WITH(Differenced(StepFunction(1, 1, floor), {}, {.scales = VectorXd::Ones(2)}),
                    Catch::Contains("2 numbers, expected 1"));
}

TEST_CASE("stages written for any number have derivatives, of as many rows as each has") {
  const planning::AutodiffStages stages([](int i, const auto& x, const auto& u, auto& r) {
    if (i == 2) throw DomainError("no stage");
    if (i == 3)
      r.resize(0);
    else if (i < 3)
      r = 0.1 * u;
    else
      r = 3.0 * (x - Eigen::Vector2d(1, 2));
  });
  static_assert(planning::StageResiduals<decltype(stages)> && planning::StageConstraints<decltype(stages)>);
  VectorXd r;
  MatrixXd dx, du;
  const VectorXd x = Eigen::Vector2d(4, 6), u = VectorXd::Constant(1, 5);
  REQUIRE(stages.residual(0, x, u, r, dx, du));
  CHECK(r == VectorXd::Constant(1, 0.5));
  CHECK((dx.isZero() && dx.rows() == 1 && dx.cols() == 2 && du(0, 0) == 0.1));
  REQUIRE(stages.constraint(4, x, VectorXd(), r, dx, du));
  CHECK(r == VectorXd(Eigen::Vector2d(9, 12)));
  CHECK((dx == MatrixXd(3 * MatrixXd::Identity(2, 2)) && du.rows() == 2 && du.cols() == 0));
  CHECK_FALSE(stages.residual(2, x, u, r, dx, du));
  REQUIRE(stages.residual(3, x, u, r, dx, du));
  CHECK((r.size() == 0 && dx.rows() == 0 && dx.cols() == 2));
}

TEST_CASE("iLQR plans the same by each, over a grid too") {
  const auto gravity = autodiff<2>(1, [](const auto& x, auto& a) {
    using std::sin;
    a[0] = -9.81 * sin(x[0]) - 0.1 * x[1];
  });
  const AdaptiveGrid<2> grid(gravity, {.spacing = {0.1, 0.5}, .upper = {1e3, 1e3}});
  const planning::AutodiffStages reach([](int i, const auto& x, const auto& u, auto& r) {
    if (i < 30)
      r = 0.1 * u;
    else
      r = 10.0 * (x - Eigen::Vector2d(1, 0));
  });
  const auto over = [](const auto& map) {
    return [&map](const auto& x, const auto& u, auto& next) {
      next[1] = x[1] + 0.05 * (values_at<2>(map, x)[0] + u[0]);
      next[0] = x[0] + 0.05 * next[1];
    };
  };
  const auto cost = [&](const auto& dynamics) {
    const planning::TrajectoryProblem problem{
        .dynamics = dynamics, .residuals = reach, .horizon = 30, .initial_state = Eigen::Vector2d(0, 0)};
    const auto plan = planning::ilqr(problem, MatrixXd::Zero(1, 30));
    CHECK(plan.converged());
    return plan.trajectory.cost;
  };
  const double expected = cost(AutodiffSteps(2, 1, over(gravity)));
  CHECK(cost(AutodiffSteps(2, 1, over(grid))) == Approx(expected).epsilon(1e-3));
  CHECK(cost(Differenced(StepFunction(2, 1, over(gravity)))) == Approx(expected).epsilon(1e-6));
}
