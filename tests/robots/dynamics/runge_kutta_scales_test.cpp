// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>

namespace quoin {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A decay at `decay` 1/s beside a swing of `turn` rad/s, coupled with nothing; each state in a unit of its own.
struct DecayAndSwing {
  double decay, turn;
  Eigen::Vector3d unit;

  Eigen::Index state_size() const { return 3; }
  Eigen::Index control_size() const { return 0; }
  Eigen::Matrix3d matrix() const {
    Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
    A(0, 0) = -decay;
    A(1, 2) = turn;
    A(2, 1) = -turn;
    return unit.asDiagonal() * A * unit.cwiseInverse().asDiagonal();
  }
  StepStatus rate(const VectorXd& x, const VectorXd&, VectorXd& k) const {
    k = matrix() * x;
    return StepStatus::ok;
  }
  StepStatus rate(const VectorXd& x, const VectorXd& u, VectorXd& k, MatrixXd& df_dx, MatrixXd& df_du) const {
    df_dx = matrix();
    df_du.resize(3, 0);
    return rate(x, u, k);
  }
  /// After t, in units, from ones.
  Eigen::Vector3d after(double t) const {
    return {std::exp(-decay * t), std::cos(turn * t) + std::sin(turn * t), std::cos(turn * t) - std::sin(turn * t)};
  }
};

/// The largest difference from the truth within `count` steps, in units.
double worst_after(const DecayAndSwing& system, const RungeKutta<DecayAndSwing>& step, int count) {
  VectorXd x = system.unit, next;
  double worst = 0;
  for (int i = 1; i <= count; ++i) {
    if (step.step(x, VectorXd(0), next) != StepStatus::ok) return std::numeric_limits<double>::infinity();
    x = next;
    const Eigen::Vector3d of_unit = x.cwiseQuotient(system.unit);
    worst = std::max(worst, (of_unit - system.after(i * step.duration())).cwiseAbs().maxCoeff());
  }
  return worst;
}

/// x' = u.
struct Push {
  Eigen::Index state_size() const { return 1; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const VectorXd&, const VectorXd& u, VectorXd& k) const {
    ++asked;
    k = u;
    return StepStatus::ok;
  }
  StepStatus rate(const VectorXd& x, const VectorXd& u, VectorXd& k, MatrixXd& df_dx, MatrixXd& df_du) const {
    df_dx.setZero(1, 1);
    df_du.setIdentity(1, 1);
    return rate(x, u, k);
  }
  mutable int asked = 0;
};

}  // namespace

TEST_CASE(
    "drawn decays and swings are followed in any units: small ones all over, and each of its own with its scale") {
  std::mt19937 random(test::seed_wanted());
  std::uniform_real_distribution<double> exponent(-9, 3), own(-6, 6), rate(0, 3);
  const int draws = test::draws_wanted(100);
  for (int draw = 0; draw < draws; ++draw) {
    DecayAndSwing system{std::pow(10, rate(random)), std::pow(10, rate(random) - 1), {1, 1, 1}};
    const double step = 0.02;
    // One unit, of 1e-9 to 1e3 of what scales are by default.
    system.unit *= std::pow(10, exponent(random));
    CAPTURE(draw, system.decay, system.turn, system.unit.transpose());
    CHECK(worst_after(system, RungeKutta(system, step), 50) < 0.05);
    for (double& unit : system.unit) unit = std::pow(10, own(random));
    CHECK(worst_after(system, RungeKutta(system, step, 1, default_step_tolerance, system.unit), 50) < 1e-3);
  }
}

TEST_CASE("motion of the sizes that scales say is stepped as before, and rest stays rest") {
  const DecayAndSwing system{30, 10, {1, 1, 1}};
  VectorXd one, ones;
  REQUIRE(RungeKutta(system, 0.1).step(VectorXd::Ones(3), VectorXd(0), one) == StepStatus::ok);
  REQUIRE(RungeKutta(system, 0.1, 1, default_step_tolerance, VectorXd::Ones(3))
              .step(VectorXd::Ones(3), VectorXd(0), ones) == StepStatus::ok);
  CHECK(one == ones);
  REQUIRE(RungeKutta(system, 0.1).step(VectorXd::Zero(3), VectorXd(0), one) == StepStatus::ok);
  CHECK(one.isZero(0));
}

TEST_CASE("scales that are not positive, or not as many as states, are refused with their numbers") {
  const DecayAndSwing system{30, 10, {1, 1, 1}};
  const auto with = [&](const VectorXd& scales) { return RungeKutta(system, 0.1, 1, 1e-5, scales); };
  CHECK_THROWS_WITH(with(VectorXd::Ones(2)), Catch::Contains("2 scales for 3 states"));
  CHECK_THROWS_WITH(with(Eigen::Vector3d(1, -2, 1)), Catch::Contains("-2"));
  CHECK_THROWS_AS(with(Eigen::Vector3d(1, 1, std::nan(""))), std::invalid_argument);
}

TEST_CASE("controls of any number of periods a step are integrated, and held ones cost no more than a step") {
  std::mt19937 random(test::seed_wanted());
  std::uniform_real_distribution<double> periods(0.1, 100);
  const int draws = test::draws_wanted(200);
  for (int draw = 0; draw < draws; ++draw) {
    // Every other one is a number of half periods, which three equal times see at the same phase.
    const double of_step = draw % 2 ? std::round(periods(random)) / 2 + 0.5 : periods(random);
    const double turn = 2 * std::numbers::pi * of_step;
    VectorXd x = VectorXd::Zero(1);
    for (int i = 0; i < 3; ++i)
      REQUIRE(runge_kutta_step(
                  Push{}, [turn](double t) { return VectorXd::Constant(1, 1 - std::cos(turn * t)); }, i, 1, x) ==
              StepStatus::ok);
    CAPTURE(draw, of_step);
    CHECK(std::abs(x[0] - (3 - std::sin(3 * turn) / turn)) < 1e-3);
  }
  const Push push;
  VectorXd x = VectorXd::Zero(1);
  REQUIRE(runge_kutta_step(
              push, [](double) { return VectorXd::Ones(1); }, 0, 1, x) == StepStatus::ok);
  CHECK(push.asked == 4);
}

}  // namespace quoin
