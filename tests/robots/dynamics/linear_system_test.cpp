// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/linear_system.hpp"
#include "testing/robots/drive.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <stdexcept>

using namespace quoin;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::drive;

TEST_CASE("a held step is answered as the textbook has it, whatever the step of time", "[linear_system]") {
  const double w = 2 * std::numbers::pi * 3, z = 0.6, damped = w * std::sqrt(1 - z * z);
  for (const double h : {0.002, 0.02, 0.1}) {
    const MatrixXd y = simulate(discretized(drive(), h), MatrixXd::Ones(1, 12));
    for (int k = 0; k < 12; ++k) {
      const double t = k * h;
      const double exact =
          0.95 * (1 - std::exp(-z * w * t) * (std::cos(damped * t) + z * w / damped * std::sin(damped * t)));
      CHECK(std::abs(y(0, k) - exact) < 1e-12);
    }
  }
}

TEST_CASE("a first-order hold is exact for ramps, and of second order for a sine, where a zero-order hold is of first",
          "[linear_system]") {
  const LinearSystem ramp_through{MatrixXd{{-2}}, MatrixXd{{1}}, MatrixXd{{1}}, MatrixXd{{0.5}}, 0};
  const MatrixXd ramp = Eigen::RowVectorXd::LinSpaced(6, 0, 1);
  const MatrixXd y = simulate(discretized(ramp_through, 0.2, Hold::first_order), ramp);
  for (int k = 0; k < 6; ++k) {
    const double t = 0.2 * k;
    CHECK(y(0, k) == Approx(t / 2 - 0.25 + 0.25 * std::exp(-2 * t) + 0.5 * t).margin(1e-14));
  }
  // With a first input that is not zero, the state begins shifted.
  const MatrixXd shift = held_state_shift(ramp_through, 0.2);
  const MatrixXd constant = simulate(discretized(ramp_through, 0.2, Hold::first_order), MatrixXd::Constant(1, 6, 2),
                                     VectorXd::Constant(1, 1) - 2 * shift);
  CHECK((constant.array() - 2).abs().maxCoeff() < 1e-14);  // x = 1 is the equilibrium

  const auto error = [&](double h, Hold hold) {
    const auto samples = static_cast<Eigen::Index>(std::lround(2 / h)) + 1;
    MatrixXd u(1, samples), exact(1, samples);
    for (Eigen::Index k = 0; k < samples; ++k) {
      const double t = h * static_cast<double>(k);
      u(0, k) = std::sin(3 * t);
      exact(0, k) = (2 * std::sin(3 * t) - 3 * std::cos(3 * t) + 3 * std::exp(-2 * t)) / 13 + 0.5 * std::sin(3 * t);
    }
    return (simulate(discretized(ramp_through, h, hold), u) - exact).cwiseAbs().maxCoeff();
  };
  const double first = std::log2(error(0.02, Hold::zero_order) / error(0.01, Hold::zero_order));
  const double second = std::log2(error(0.02, Hold::first_order) / error(0.01, Hold::first_order));
  CHECK(first == Approx(1).margin(0.1));
  CHECK(second == Approx(2).margin(0.1));
}

TEST_CASE("systems, steps and inputs that do not fit are refused", "[linear_system]") {
  const LinearSystem sampled = discretized(drive(), 0.01);
  CHECK_THROWS_AS(discretized(sampled, 0.01), std::invalid_argument);
  CHECK_THROWS_AS(discretized(drive(), 0), std::invalid_argument);
  CHECK_THROWS_AS(simulate(drive(), MatrixXd::Zero(1, 5)), std::invalid_argument);
  CHECK_THROWS_AS(simulate(sampled, MatrixXd::Zero(2, 5)), std::invalid_argument);
  CHECK_THROWS_AS(simulate(sampled, MatrixXd::Zero(1, 5), VectorXd::Zero(3)), std::invalid_argument);
}
