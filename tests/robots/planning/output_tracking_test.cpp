// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/output_tracking.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::planning;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

LinearSystem drive() {
  return discretized({.A = (Matrix(2, 2) << 0, 1, -400, -28).finished(),
                      .B = Eigen::Vector2d(0, 400),
                      .C = Eigen::RowVector2d(1, 0),
                      .D = Matrix::Zero(1, 1)},
                     0.02);
}

Vector run(const LinearSystem& system, const Vector& inputs) {
  Vector x = Vector::Zero(system.states()), y(inputs.size());
  for (Eigen::Index k = 0; k < inputs.size(); ++k) {
    x = (system.A * x + system.B * inputs[k]).eval();
    y[k] = (system.C * x)(0);
  }
  return y;
}

}  // namespace

TEST_CASE("a profile that a drive can follow is followed, by what it really answers") {
  const Vector inputs =
      Vector::NullaryExpr(60, [](Eigen::Index k) { return 30 * std::sin(0.1 * static_cast<double>(k)); });
  const Vector wanted = run(drive(), inputs);
  const OutputTracking found = track_output(drive(), wanted, -60, 60, 1e-9);
  CHECK(found.largest_error < 1e-3);
  CHECK((run(drive(), found.inputs) - found.outputs).norm() < 1e-9);
}

TEST_CASE("a jump beyond a drive's bounds is followed as well as bounds allow, and no other inputs do better") {
  Vector wanted = Vector::Zero(50);
  wanted.tail(30).setConstant(70);
  const double smoothing = 1e-3;
  const OutputTracking found = track_output(drive(), wanted, -50, 50, smoothing);
  CHECK(found.inputs.cwiseAbs().maxCoeff() <= 50);
  CHECK(found.largest_error > 19);
  const auto cost = [&](const Vector& u) {
    double sum = (run(drive(), u) - wanted).squaredNorm() + smoothing * u[0] * u[0];
    for (Eigen::Index k = 1; k < u.size(); ++k) sum += smoothing * (u[k] - u[k - 1]) * (u[k] - u[k - 1]);
    return sum;
  };
  for (Eigen::Index k = 0; k < 50; ++k)
    for (const double h : {-1e-2, 1e-2}) {
      const Vector other = (found.inputs + h * Vector::Unit(50, k)).cwiseMax(-50).cwiseMin(50);
      CHECK(cost(other) >= cost(found.inputs) - 1e-9);
    }
}

TEST_CASE("profiles are refused for systems that are not discrete and bounds that cross") {
  LinearSystem continuous = drive();
  continuous.time_step = 0;
  CHECK_THROWS_WITH(track_output(continuous, Vector::Ones(3), -1, 1), Catch::Contains("discrete"));
  CHECK_THROWS_WITH(track_output(drive(), Vector::Ones(3), 1, -1), Catch::Contains("inputs from 1 to -1"));
}
