// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/autodiff.hpp"
#include "quoin/map/derivative_check.hpp"
#include "quoin/map/differenced.hpp"
#include "quoin/util/errors.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

namespace {
const auto of_any_number = [](const auto& x, auto& y) {
  using std::exp, std::sin;
  y[0] = sin(x[0]) * x[1];
  y[1] = exp(x[0] - 2.0 * x[1]);
  y[2] = 3.0;
};
}  // namespace

TEST_CASE("what is written for any number has a Jacobian that is right to rounding, constants among it") {
  const auto f = autodiff<2>(3, of_any_number);
  Eigen::VectorXd y;
  Eigen::MatrixXd J, expected(3, 2);
  for (const auto& x : random_points<2>(20, Point<2>(-2, -2), Point<2>(2, 2), 1)) {
    f.evaluate(x, y, J);
    const double e = std::exp(x[0] - 2 * x[1]);
    expected << std::cos(x[0]) * x[1], std::sin(x[0]), e, -2 * e, 0, 0;
    CHECK((y - Eigen::Vector3d(std::sin(x[0]) * x[1], e, 3)).norm() <= 1e-14 * y.norm());
    CHECK((J - expected).norm() <= 1e-14 * expected.norm());
    CHECK(check_derivatives<2>(f, x).passed);
  }
}

TEST_CASE("the chain rule goes through a map, with as many variables as there are, or none") {
  const auto f = autodiff<2>(3, of_any_number);
  const Eigen::VectorXd all = Eigen::Vector4d(0.3, 0.7, -0.2, 0.5);
  const VectorOf<Dual> duals = variables(all, 0, 4);
  const VectorOf<Dual> inner = VectorOf<Dual>{{duals[0] * duals[2], duals[3]}};
  const VectorOf<Dual> y = values_at<2>(f, inner);
  Eigen::VectorXd expected;
  Eigen::MatrixXd J;
  f.evaluate(Point<2>(all[0] * all[2], all[3]), expected, J);
  Eigen::MatrixXd inner_by_all = Eigen::MatrixXd::Zero(2, 4);
  inner_by_all(0, 0) = all[2];
  inner_by_all(0, 2) = all[0];
  inner_by_all(1, 3) = 1;
  CHECK(values_of(y) == expected);
  CHECK((derivatives_of(y, 0, 4) - J * inner_by_all).norm() < 1e-14);
  const Eigen::VectorXd plain = values_at<2>(f, VectorOf<double>(Eigen::Vector2d(all[0] * all[2], all[3])));
  CHECK(plain == expected);
  const VectorOf<Dual> constants = values_at<2>(f, VectorOf<Dual>{{Dual(0.1), Dual(0.2)}});
  CHECK(derivatives_of(constants, 0, 4) == Eigen::MatrixXd::Zero(3, 4));
}

TEST_CASE("differences are right to their order, for variables of any size") {
  const Waves<3> waves(4);
  for (const double unit : {1e-6, 1.0, 1e6}) {
    DifferenceOptions options;
    options.scales = Eigen::VectorXd::Constant(3, unit);
    const auto f = differenced<3>(
        4, [&](const Point<3>& x, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(x / unit); }, options);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const auto& x : random_points<3>(20, Point<3>::Constant(-2), Point<3>::Constant(2), 2)) {
      f.evaluate(unit * x, y, J);
      CHECK(y == waves.value(unit * x / unit));
      CHECK((J * unit - waves.jacobian(x)).norm() < 1e-9);
    }
  }
}

TEST_CASE("steps of differences that mean nothing are refused") {
  const auto f = [](const Point<2>&, Eigen::Ref<Eigen::VectorXd>) {};
  CHECK_THROWS_AS(differenced<2>(1, f, {.step = 0}), std::invalid_argument);
  CHECK_THROWS_AS(differenced<2>(1, f, {.step = std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  CHECK_THROWS_WITH(differenced<2>(1, f, {.scales = Eigen::VectorXd::Ones(3)}),
                    Catch::Contains("3 numbers, expected 2"));
  CHECK_THROWS_AS(differenced<2>(1, f, {.scales = Eigen::VectorXd::Zero(2)}), std::invalid_argument);
}
