// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "testing/falling_remainders.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using quoin::StepStatus;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

/// q'' = -sin q + u; fails beyond |q| = 3.
struct Pendulum {
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const Vector& x, const Vector& u, Vector& rate) const {
    rate = Eigen::Vector2d(x[1], -std::sin(x[0]) + u[0]);
    return std::abs(x[0]) < 3 ? StepStatus::ok : StepStatus::outside_domain;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& rate, Matrix& df_dx, Matrix& df_du) const {
    df_dx = (Matrix(2, 2) << 0, 1, -std::cos(x[0]), 0).finished();
    df_du = Eigen::Vector2d(0, 1);
    return this->rate(x, u, rate);
  }
};

/// q'' = -sin q - damping q': a fast mode -damping beside a slow one.
struct HeavilyDamped {
  double damping;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const Vector& x, const Vector&, Vector& rate) const {
    rate = Eigen::Vector2d(x[1], -std::sin(x[0]) - damping * x[1]);
    return StepStatus::ok;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& rate, Matrix& df_dx, Matrix& df_du) const {
    df_dx = (Matrix(2, 2) << 0, 1, -std::cos(x[0]), -damping).finished();
    df_du = Vector::Zero(2);
    return this->rate(x, u, rate);
  }
};

const double none = std::numeric_limits<double>::infinity();  // asked of a step

static_assert(quoin::ContinuousDynamics<Pendulum>);
static_assert(quoin::DiscreteDynamics<quoin::RungeKutta<Pendulum>>);
static_assert(!quoin::ContinuousDynamics<quoin::RungeKutta<Pendulum>>);

}  // namespace

TEST_CASE("Runge-Kutta is fourth order in its step, with controls that change in time too") {
  const auto end = [](int steps) {
    Vector x = Eigen::Vector2d(1, 0.3);
    const double h = 2. / steps;
    for (int i = 0; i < steps; ++i)
      REQUIRE(quoin::runge_kutta_step(
                  Pendulum{}, [](double t) { return Vector::Constant(1, std::cos(3 * t)); }, i * h, h, x, none) ==
              StepStatus::ok);
    return x;
  };
  const Vector truth = end(4096);
  for (int steps = 16; steps <= 128; steps *= 2) {
    const double order = std::log2((end(steps) - truth).norm() / (end(2 * steps) - truth).norm());
    CHECK(order > 3.8);
    CHECK(order < 4.2);
  }
}

TEST_CASE("the derivatives of a Runge-Kutta step leave a Taylor remainder of second order") {
  // Steps as they are asked for; and halved ones, whose number does not change nearby.
  for (const double tolerance : {none, 1e-8}) {
    CAPTURE(tolerance);
    const quoin::RungeKutta step(Pendulum{}, 0.5, 3, tolerance);
    const Vector x = Eigen::Vector2d(0.7, -0.4), u = Vector::Constant(1, 0.2);
    Vector next, ahead;
    Matrix A, B;
    REQUIRE(step.step(x, u, ahead) == StepStatus::ok);
    REQUIRE(step.step(x, u, next, A, B) == StepStatus::ok);
    CHECK(next == ahead);
    const Vector dx = Eigen::Vector2d(0.6, -0.8), du = Vector::Constant(1, 0.5);
    quoin::test::FallingRemainders remainders{.ratio = 10, .min_order = 1.9, .largest_order = 2.1};
    for (double h = 1e-1; h > 1e-4; h /= 10) {
      REQUIRE(step.step(x + h * dx, u + h * du, ahead) == StepStatus::ok);
      remainders.add((ahead - next - h * (A * dx + B * du)).norm());
    }
  }
}

TEST_CASE("a Runge-Kutta step passes on why its dynamics failed and refuses a duration that is not positive") {
  Vector next;
  Matrix A, B;
  const quoin::RungeKutta step(Pendulum{}, 1, 4);
  CHECK(step.step(Eigen::Vector2d(2.9, 5), Vector::Zero(1), next) == StepStatus::outside_domain);
  CHECK(step.step(Eigen::Vector2d(2.9, 5), Vector::Zero(1), next, A, B) == StepStatus::outside_domain);
  CHECK_THROWS_AS(quoin::RungeKutta(Pendulum{}, 0), std::invalid_argument);
  CHECK_THROWS_AS(quoin::RungeKutta(Pendulum{}, 1, 0), std::invalid_argument);
  const auto none = [](double) { return Vector(Vector::Zero(1)); };
  const auto no_rate = [](int, double, const Vector&, Vector&) { return StepStatus::ok; };
  Vector x = Vector::Zero(2);
  for (const double bad : {std::nan(""), 0.0, -1e-5, -HUGE_VAL}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(quoin::runge_kutta_step(Pendulum{}, none, 0, 0.1, x, bad), Catch::Contains("tolerance"));
    CHECK_THROWS_WITH(quoin::RungeKutta(Pendulum{}, 1, 1, bad), Catch::Contains("tolerance"));
    CHECK_THROWS_WITH(quoin::RungeKuttaSteps(bad), Catch::Contains("tolerance"));
    CHECK_THROWS_WITH(quoin::runge_kutta_step(Pendulum{}, none, 0, 0.1, x, 1e-5, Eigen::Vector2d(1, bad)),
                      Catch::Contains("scale"));
  }
  CHECK_THROWS_WITH(quoin::runge_kutta_step(Pendulum{}, none, 0, 0.1, x, 1e-5, Vector::Ones(3)),
                    Catch::Contains("3 scales for 2 states"));
  CHECK_THROWS_WITH(quoin::RungeKuttaSteps().advance(no_rate, 1, 0, x), Catch::Contains("steps = 0"));
  CHECK_THROWS_WITH(quoin::runge_kutta_step(Pendulum{}, none, std::nan(""), 0.1, x), Catch::Contains("time = nan"));
  CHECK_THROWS_WITH(quoin::runge_kutta_step(Pendulum{}, none, 0, HUGE_VAL, x), Catch::Contains("step = inf"));
}

TEST_CASE("a mode alone is resolved up to steps of 2.0 of its time constants, or 2.5 of its radians, and none beyond") {
  const auto resolved = [](const Eigen::Matrix2d& A, double h) {
    struct Linear {
      Eigen::Matrix2d A;
      Eigen::Index state_size() const { return 2; }
      Eigen::Index control_size() const { return 0; }
      StepStatus rate(const Vector& x, const Vector&, Vector& rate) const {
        rate = A * x;
        return StepStatus::ok;
      }
      StepStatus rate(const Vector& x, const Vector& u, Vector& rate, Matrix& df_dx, Matrix& df_du) const {
        df_dx = A;
        df_du.resize(2, 0);
        return this->rate(x, u, rate);
      }
    };
    Vector x = Eigen::Vector2d(1, 0.2);
    return quoin::runge_kutta_step(
               Linear{A}, [](double) { return Vector(); }, 0, h, x, none) == StepStatus::ok;
  };
  for (const double rate : {0.01, 1., 300.}) {
    const Eigen::Matrix2d decay = -rate * Eigen::Matrix2d::Identity();
    const Eigen::Matrix2d swing = (Eigen::Matrix2d() << 0, rate, -rate, 0).finished();
    CHECK(resolved(decay, 1.98 / rate));
    CHECK(resolved(swing, 2.1 / rate));
    for (double longer = 1; longer < 1e4; longer *= 1.5) {
      CAPTURE(longer);
      CHECK_FALSE(resolved(decay, 2.02 * longer / rate));
      CHECK_FALSE(resolved(swing, 2.7 * longer / rate));
    }
  }
  CHECK(resolved(Eigen::Matrix2d::Zero(), 1));  // at rest
}

TEST_CASE("Runge-Kutta steps of one length that are unstable are not ok, and good ones are") {
  const auto end = [](double damping, int steps, bool derivatives) {
    const quoin::RungeKutta step(HeavilyDamped{damping}, 0.02, steps, none);
    Vector x = Eigen::Vector2d(1, 0), next;
    Matrix A, B;
    for (int i = 0; i < 100; ++i) {
      const StepStatus status =
          derivatives ? step.step(x, Vector::Zero(1), next, A, B) : step.step(x, Vector::Zero(1), next);
      if (status != StepStatus::ok) return status;
      x = next;
    }
    return StepStatus::ok;
  };
  for (const bool derivatives : {false, true}) {
    // 20 ms in 5 steps are stable up to a damping of 2.785 / 4 ms = 696 / s.
    for (const double damping : {1., 30., 200., 400., 480.}) {  // resolved up to 500 / s
      CAPTURE(damping);
      CHECK(end(damping, 5, derivatives) == StepStatus::ok);
    }
    for (const double damping : {705., 720., 800., 1200.}) {
      CAPTURE(damping);
      CHECK(end(damping, 5, derivatives) == StepStatus::not_converged);
      CHECK(end(damping, 12, derivatives) == StepStatus::ok);
    }
    CHECK(end(1, 1, derivatives) == StepStatus::ok);
  }
}

TEST_CASE("Runge-Kutta steps are halved until their motion is within its tolerance, however fast a mode decays") {
  const auto end = [](double damping, int steps, double tolerance, bool derivatives) {
    const quoin::RungeKutta step(HeavilyDamped{damping}, 0.02, steps, tolerance);
    Vector x = Eigen::Vector2d(1, 3), next;
    Matrix A, B;
    for (int i = 0; i < 100; ++i) {
      const StepStatus status =
          derivatives ? step.step(x, Vector::Zero(1), next, A, B) : step.step(x, Vector::Zero(1), next);
      REQUIRE(status == StepStatus::ok);
      x = next;
    }
    return x;
  };
  for (const double damping : {0., 1., 30., 480., 705., 1200., 2e3}) {
    CAPTURE(damping);
    const Vector truth = end(damping, damping > 1200 ? 640 : 80, 1e-11, false);
    for (const double tolerance : {1e-3, quoin::default_step_tolerance, 1e-6})
      for (const int steps : {1, 5})
        for (const bool derivatives : {false, true}) {
          CAPTURE(tolerance, steps, derivatives);
          CHECK((end(damping, steps, tolerance, derivatives) - truth).norm() < 2 * tolerance);
        }
  }
  Vector next;
  CHECK(quoin::RungeKutta(HeavilyDamped{1e7}, 0.02).step(Eigen::Vector2d(1, 3), Vector::Zero(1), next) ==
        StepStatus::not_converged);
  CHECK_THROWS_AS(quoin::RungeKutta(Pendulum{}, 1, 1, 0.), std::invalid_argument);
}

TEST_CASE("steps of one duration are a function of its start alone, and stages of them are asked for at their times") {
  std::vector<double> parts;
  Vector x = Vector::Ones(1);
  quoin::RungeKuttaSteps steps(1e-6);
  REQUIRE(steps.advance(
              [&](int, double part, const Vector& at, Vector& k) {
                parts.push_back(part);
                k = -20 * part * at;  // x = exp(-10 t^2)
                return StepStatus::ok;
              },
              1, 2, x) == StepStatus::ok);
  CHECK(x[0] == Approx(std::exp(-10)).margin(1e-6));
  CHECK(parts.front() == 0);
  CHECK(parts.back() == 1);
  CHECK(*std::max_element(parts.begin(), parts.end()) == 1);
  const std::size_t count = parts.size();
  CHECK(count > 2 * 4);
  CHECK(count < 400);
  Vector again = Vector::Ones(1);
  REQUIRE(steps.advance(
              [&](int, double part, const Vector& at, Vector& k) {
                k = -20 * part * at;
                return StepStatus::ok;
              },
              1, 2, again) == StepStatus::ok);
  CHECK(again == x);
}
