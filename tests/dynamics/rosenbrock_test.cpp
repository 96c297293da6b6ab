// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/dynamics/rosenbrock.hpp"
#include "quoin/dynamics/runge_kutta.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using quoin::StepStatus;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

/// q'' = -sin q - damping q' + u; fails beyond |q| = 3.
struct DampedPendulum {
  double damping = 0.3;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus rate(const Vector& x, const Vector& u, Vector& rate) const {
    rate = Eigen::Vector2d(x[1], -std::sin(x[0]) - damping * x[1] + u[0]);
    return std::abs(x[0]) < 3 ? StepStatus::ok : StepStatus::outside_domain;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& rate, Matrix& df_dx, Matrix& df_du) const {
    df_dx = (Matrix(2, 2) << 0, 1, -std::cos(x[0]), -damping).finished();
    df_du = Eigen::Vector2d(0, 1);
    return this->rate(x, u, rate);
  }
};

Vector end_of(const DampedPendulum& pendulum, const Vector& start, double duration, int steps) {
  Vector x = start;
  for (int i = 0; i < steps; ++i)
    REQUIRE(quoin::rosenbrock_step(pendulum, Vector::Constant(1, 0.4), duration / steps, x) == StepStatus::ok);
  return x;
}

}  // namespace

TEST_CASE("a Rosenbrock step is second order") {
  const Vector start = Eigen::Vector2d(1, 0.3);
  Vector truth = start;
  for (int i = 0; i < 1024; ++i)
    REQUIRE(quoin::runge_kutta_step(
                DampedPendulum{}, [](double) { return Vector::Constant(1, 0.4); }, 0, 2. / 1024, truth) ==
            StepStatus::ok);
  const auto error = [&](int steps) { return (end_of({}, start, 2, steps) - truth).norm(); };
  for (int steps = 32; steps <= 256; steps *= 2) {
    const double order = std::log2(error(steps) / error(2 * steps));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("a Rosenbrock step ten thousand times longer than a decay follows the slow motion that is left") {
  // Heavily damped: q' = (0.4 - sin q) / damping up to 1 / damping^2, whatever the first rate was.
  const DampedPendulum heavy{1e6};
  const Vector x = end_of(heavy, Eigen::Vector2d(1, 5), 1, 100);
  CHECK(x[0] == Approx(1 + (5 + 0.4 - std::sin(1.)) / heavy.damping).margin(1e-9));
  CHECK(x[1] == Approx((0.4 - std::sin(x[0])) / heavy.damping).epsilon(1e-6));
}

TEST_CASE("a Rosenbrock step passes on why its dynamics failed") {
  Vector x = Eigen::Vector2d(2.9, 5);
  CHECK(quoin::rosenbrock_step(DampedPendulum{}, Vector::Zero(1), 1, x) == StepStatus::outside_domain);
}
