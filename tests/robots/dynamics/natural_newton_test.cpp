// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/detail/natural_newton.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Core>

#include <random>

using Eigen::MatrixXd;
using Eigen::VectorXd;
using quoin::StepStatus;

TEST_CASE("natural_newton finds the root of a map from far away, with a Jacobian that is only near") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto drawn = [&](Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  for (int n = 1; n <= 6; ++n) {
    const VectorXd root = drawn(n, 1);
    const MatrixXd A = MatrixXd::Identity(n, n) + 0.3 / n * drawn(n, n);
    int calls = 0;
    const auto value = [&](const VectorXd& z, VectorXd& r) {
      ++calls;
      r = A * (z - root) + 0.1 * (z - root).array().cube().matrix();
      return (z.array().abs() < 20).all() ? StepStatus::ok : StepStatus::outside_domain;
    };
    VectorXd z = VectorXd::Constant(n, 5), r(n);
    REQUIRE(value(z, r) == StepStatus::ok);
    const auto report = quoin::detail::natural_newton(z, r, A, {1e-10, 1e-8, 100}, value, [&] { return A; });
    INFO("size " << n);
    CHECK(report.status == StepStatus::ok);
    CHECK((z - root).cwiseAbs().maxCoeff() < 1e-8);
    CHECK(calls < 60);
  }
}
