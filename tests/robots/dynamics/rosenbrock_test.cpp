// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/rosenbrock.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "testing/drawn.hpp"

#include <Eigen/QR>

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

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

/// x' = A x.
struct Linear {
  Matrix A;
  Eigen::Index state_size() const { return A.rows(); }
  Eigen::Index control_size() const { return 0; }
  StepStatus rate(const Vector& x, const Vector&, Vector& rate) const {
    rate = A * x;
    return StepStatus::ok;
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& df_dx, Matrix& df_du) const {
    df_dx = A;
    df_du.resize(A.rows(), 0);
    return rate(x, u, f);
  }
};

}  // namespace

TEST_CASE("a Rosenbrock step of drawn decays is the method's whatever the units, and singular where its matrix is") {
  std::mt19937 generator(quoin::test::seed_wanted());
  std::uniform_real_distribution<double> uniform, decades(-6, 6);
  const int draws = quoin::test::draws_wanted(2000);
  const double g = 1 - std::sqrt(0.5);
  int wrong_ok = 0, wrong_singular = 0, far = 0, grown = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const Eigen::Index n = 2 + draw % 5;
    const double step = std::pow(10, decades(generator));
    Vector unit(n), rates(n);
    for (double& u : unit) u = std::pow(10, decades(generator));
    for (double& rate : rates) rate = -std::pow(10, 8 * uniform(generator) - 3);  // of decays, times the step
    const bool singular = draw % 4 == 0;
    if (singular) rates[0] = 1 / g;  // grows thirtyfold in a step
    Matrix random(n, n);
    for (double& entry : random.reshaped()) entry = 2 * uniform(generator) - 1;
    const Matrix Q = Eigen::HouseholderQR<Matrix>(random).householderQ();
    const Linear system{unit.asDiagonal() * Q * (rates / step).asDiagonal() * Q.transpose() *
                        unit.cwiseInverse().asDiagonal()};
    const Vector modes = Vector::NullaryExpr(n, [&] { return 0.5 + uniform(generator); });
    Vector x = unit.asDiagonal() * Q * modes;
    const StepStatus status = quoin::rosenbrock_step(system, Vector(0), step, x);
    CAPTURE(draw, n, rates.transpose());
    if (singular) {
      // A matrix whose smallest eigenvalue is rounding of the others.
      const bool told = status == StepStatus::singular;
      wrong_ok += !told && rates.cwiseAbs().maxCoeff() < 1e3;
      continue;
    }
    wrong_singular += status != StepStatus::ok;
    const Vector left = (Q.transpose() * x.cwiseQuotient(unit)).cwiseQuotient(modes);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double z = rates[j], k1 = z / (1 - g * z), k2 = (z * (1 + k1) - 2 * k1) / (1 - g * z);
      far += !(std::abs(left[j] - (1 + 1.5 * k1 + 0.5 * k2)) < 1e-8);
      grown += std::abs(left[j]) > 1 + 1e-9;
    }
  }
  INFO(wrong_ok << " singular ones ok, " << wrong_singular << " decays singular, " << far
                << " modes far from the method's, " << grown << " grown, of " << draws);
  CHECK(wrong_ok == 0);
  CHECK(wrong_singular == 0);
  CHECK(far == 0);
  CHECK(grown == 0);
}

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
