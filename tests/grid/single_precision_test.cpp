// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/single_precision.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

constexpr double rounding = 0x1p-24;

template <int Dim>
GridOptions<Dim> rounded(GridOptions<Dim> options = {}) {
  options.precision = single_precision();
  return options;
}

/// The largest difference of answers between a grid of floats and one of doubles, in units of the rounding.
template <int Dim, int K>
double largest_difference(int outputs) {
  const Waves<Dim> waves(outputs);
  GridOptions<Dim> options;
  options.spacing.setConstant(0.5);
  const AdaptiveGrid<Dim> wide(waves.template jet<K>(), options), narrow(waves.template jet<K>(), rounded(options));
  double largest = 0;
  const auto compare = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    REQUIRE(a.size() > 0);
    largest = std::max(largest, (a - b).cwiseAbs().maxCoeff() / rounding);
  };
  const auto points = random_points<Dim>(20, Point<Dim>::Constant(-2), Point<Dim>::Constant(2), 7);
  Eigen::MatrixXd X(Dim, points.size());
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(outputs) / outputs;
  for (std::size_t m = 0; m < points.size(); ++m) {
    const Point<Dim>& x = points[m];
    X.col(static_cast<Eigen::Index>(m)) = x;
    Eigen::VectorXd y, y_narrow;
    Eigen::MatrixXd J, J_narrow;
    wide.evaluate(x, y, J);
    narrow.evaluate(x, y_narrow, J_narrow);
    compare(y, y_narrow);
    compare(J, J_narrow);
    wide.jvp(x, Point<Dim>::Ones(), y);
    narrow.jvp(x, Point<Dim>::Ones(), y_narrow);
    compare(y, y_narrow);
    wide.vjp(x, v, y);
    narrow.vjp(x, v, y_narrow);
    compare(y, y_narrow);
  }
  Eigen::MatrixXd Y, Y_narrow, J, J_narrow;
  wide.evaluate_batch(X, Y, J);
  narrow.evaluate_batch(X, Y_narrow, J_narrow);
  compare(Y, Y_narrow);
  compare(J, J_narrow);
  return largest;
}

/// (x^2 + y, x y) on a lattice of halves: floats hold all of it.
auto exact_in_floats() {
  return exact_function<2>(2, [](const Point<2>& x, auto y, auto J) {
    y << x[0] * x[0] + x[1], x[0] * x[1];
    J << 2 * x[0], 1, x[1], x[0];
  });
}

}  // namespace

TEST_CASE("answers from floats differ from those from doubles by the rounding, for any size, order and dimension") {
  for (const int outputs : {1, 2, 3, 7, 8, 9, 15, 24, 130}) {
    CAPTURE(outputs);
    CHECK(largest_difference<1, 1>(outputs) < 8);
    CHECK(largest_difference<2, 0>(outputs) < 8);
    CHECK(largest_difference<2, 1>(outputs) < 8);
    CHECK(largest_difference<2, 2>(outputs) < 8);
    CHECK(largest_difference<3, 3>(outputs) < 16);
    const double most = largest_difference<4, 1>(outputs);
    CHECK(most < 8);
    CHECK(most > 0.1);  // they are rounded
  }
}

TEST_CASE("where floats hold the jets, all answers are those from doubles to the bit") {
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  const AdaptiveGrid<2> wide(exact_in_floats(), options), narrow(exact_in_floats(), rounded(options));
  for (const Point<2>& x : random_points<2>(50, {-3, -3}, {3, 3}, 3)) {
    Eigen::VectorXd y, y_narrow;
    Eigen::MatrixXd J, H, J_narrow, H_narrow;
    wide.evaluate(x, y, J, H);
    narrow.evaluate(x, y_narrow, J_narrow, H_narrow);
    CHECK(y == y_narrow);
    CHECK(J == J_narrow);
    CHECK(H == H_narrow);
    wide.curvature(x, Eigen::Vector2d(1, 2), H);
    narrow.curvature(x, Eigen::Vector2d(1, 2), H_narrow);
    CHECK(H == H_narrow);
    wide.corner_jet(x, H);
    narrow.corner_jet(x, H_narrow);
    CHECK(H == H_narrow);
  }
}

TEST_CASE("jets of floats take half the memory of those of doubles") {
  const Waves<3> waves(200);
  const AdaptiveGrid<3> wide(waves.jet<1>()), narrow(waves.jet<1>(), rounded<3>());
  Eigen::VectorXd y;
  for (const Point<3>& x : random_points<3>(300, Point<3>::Zero(), Point<3>::Constant(8), 4)) {
    wide.evaluate(x, y);
    narrow.evaluate(x, y);
  }
  REQUIRE(wide.statistics().corners == narrow.statistics().corners);
  CHECK(static_cast<double>(narrow.statistics().bytes) < 0.56 * static_cast<double>(wide.statistics().bytes));
}

TEST_CASE("to a tolerance the stated error takes the rounding in, also where the tolerance asks for less") {
  const Waves<2> waves(3);
  for (const double tolerance : {1e-5, 1e-7, 1e-10}) {
    GridOptions<2> options;
    options.tolerance = tolerance;
    const AdaptiveGrid<2> grid(waves.jet<1>(), rounded(options));
    int above = 0, jacobians_above = 0;
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    const auto points = random_points<2>(100, {0, 0}, {2, 2}, 20);
    for (const Point<2>& x : points) {
      const Answer answer = grid.evaluate(x, y, J);
      REQUIRE(answer.trust == Trust::estimated);
      above += (y - waves.value(x)).norm() / std::sqrt(3.0) > answer.error;
      jacobians_above += (J - waves.jacobian(x)).colwise().norm().maxCoeff() / std::sqrt(3.0) > answer.jacobian_error;
      CHECK(answer.error < std::max(tolerance, 1e-6));
      CHECK(answer.error > rounding / 2);
    }
    CAPTURE(tolerance);
    CHECK(above <= 1);
    CHECK(jacobians_above <= 1);
    CHECK(grid.statistics().corners < 60'000);  // it does not go deeper in vain
  }
}

TEST_CASE("a number that no float holds is a failure of its corner, with the number") {
  const auto f = exact_function<1>(1, [](const Point<1>& x, auto y, auto J) {
    y << std::pow(10.0, x[0]);
    J << std::log(10.0) * y[0];
  });
  const AdaptiveGrid<1> grid(f, rounded<1>());
  Eigen::VectorXd y;
  CHECK(grid.try_evaluate(Point<1>(36.5), y).trust == Trust::unchecked);
  CHECK(grid.try_evaluate(Point<1>(38.5), y).trust == Trust::failed);
  std::string words;
  try {
    grid.evaluate(Point<1>(38.5), y);
  } catch (const CornerFailure& failure) {
    words = failure.what();
  }
  CHECK(words.find("is 1e+39, too large to be interpolated") != std::string::npos);
}

TEST_CASE("nothing is certified of rounded jets") {
  GridOptions<1> options;
  options.fourth_derivatives = [](const Point<1>&, const Point<1>&) { return FourthDerivativeBounds<1>(); };
  CHECK_THROWS_AS(AdaptiveGrid<1>(Waves<1>(1).jet<1>(), rounded(options)), std::invalid_argument);
}

TEST_CASE("functionals, samples and trimming are those of rounded jets") {
  const Waves<2> waves(4);
  AdaptiveGrid<2> grid(waves.jet<1>(), rounded<2>());
  Eigen::VectorXd y, z;
  Eigen::MatrixXd J;
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(2, 4);
  const auto functional = grid.linear_output(C);
  const Point<2> x(0.3, 0.4);
  grid.evaluate(x, y, J);
  functional.evaluate(x, z);
  CHECK((C * y - z).norm() < 10 * rounding);
  const Samples<2> samples = grid.samples();
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    const Eigen::MatrixXd jet = samples.jet(m);
    CHECK(jet == jet.cast<float>().cast<double>());
  }
  grid.refine();
  grid.evaluate(x, z);
  grid.trim();
  Eigen::VectorXd again;
  grid.evaluate(x, again);
  CHECK(again == z);
  CHECK((again - waves.value(x)).norm() < 0.1);
}
