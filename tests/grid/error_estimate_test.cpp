// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("the estimates of value and Jacobian are above the error for all but a few answers") {
  const Waves<3> waves(3, 2.0);
  const AdaptiveGrid<3> grid(waves.jet<1>());
  const auto view = grid.at_tolerance(1e-4);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  int value_above = 0, jacobian_above = 0;
  const auto points = random_points<3>(1000, Point<3>::Constant(-2), Point<3>::Constant(2), 4);
  for (const Point<3>& x : points) {
    const Answer answer = view.evaluate(x, y, J);
    const Eigen::MatrixXd error = J - waves.jacobian(x);
    value_above += (y - waves.value(x)).norm() / std::sqrt(3.0) > answer.error;
    jacobian_above += error.colwise().norm().maxCoeff() / std::sqrt(3.0) > answer.jacobian_error;
  }
  CHECK(value_above <= 20);
  CHECK(jacobian_above <= 20);
}

TEST_CASE("an error estimate calls nothing and says what is known") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls, 3));
  const Point<2> x(0.3, 0.4);
  Eigen::VectorXd y;
  CHECK(grid.error_estimate(x).trust == Trust::unchecked);
  grid.evaluate(x, y);
  CHECK(std::isnan(grid.error_estimate(x).error));
  const int before = *calls;

  grid.at_level(1).evaluate(x, y);  // its corner (0.5, 0.5) is the centre of the coarse cell
  const int after = *calls;
  CHECK(after > before);
  const Answer coarse = grid.error_estimate(x), fine = grid.at_level(1).error_estimate(x);
  CHECK(*calls == after);
  CHECK(coarse.trust == Trust::estimated);
  const Waves<2> waves(3);
  grid.evaluate(x, y);
  const double error = (y - waves.value(x)).norm() / std::sqrt(3.0);
  CHECK(coarse.error >= error);
  CHECK(coarse.error <= 20 * error);
  CHECK(fine.trust == Trust::estimated);  // from its parent
  CHECK(fine.error < coarse.error);
  grid.at_level(1).evaluate(x, y);
  CHECK(fine.error >= (y - waves.value(x)).norm() / std::sqrt(3.0));

  const auto view = grid.at_tolerance(1e-5);
  const Answer answer = view.evaluate(x, y);
  const int at_tolerance = *calls;
  const Answer estimate = view.error_estimate(x);
  CHECK(estimate.trust == answer.trust);
  CHECK(estimate.error == answer.error);
  CHECK(estimate.jacobian_error == answer.jacobian_error);
  CHECK(*calls == at_tolerance);
}

TEST_CASE("jets of order 2 and 3 estimate their error from one cell's corners, within a factor of 10") {
  const Waves<2> waves(3, 1.5);
  const auto check = [&](const auto& f) {
    const AdaptiveGrid<2> grid(f);
    Eigen::VectorXd y;
    for (const Point<2>& x : {Point<2>(0.5, 0.5), Point<2>(-1.5, 0.5), Point<2>(2.5, -0.5)}) {
      grid.evaluate(x, y);
      const Answer estimate = grid.error_estimate(x);
      const double error = (y - waves.value(x)).norm() / std::sqrt(3.0);
      CHECK(estimate.trust == Trust::estimated);
      CHECK(estimate.error >= error);
      CHECK(estimate.error <= 10 * error);
    }
    CHECK(grid.statistics().exact_evaluations == 12);
  };
  check(waves.jet<2>());
  check(waves.jet<3>());
}

TEST_CASE("where the tolerance cannot be reached the answer says so") {
  const Waves<1> waves(1, 3.0);
  Eigen::VectorXd y;
  const AdaptiveGrid<1> shallow(waves.jet<1>(), {.deepest_level = 2, .tolerance = 1e-12});
  const Answer answer = shallow.evaluate(Point<1>(0.4), y);
  CHECK(answer.level == 2);
  CHECK(answer.trust == Trust::estimated);
  CHECK(answer.error > 1e-12);
  CHECK(answer.error >= std::abs(y[0] - waves.value(Point<1>(0.4))[0]));
  // Below rounding a cell is accepted at the rounding level, not split for ever.
  const AdaptiveGrid<1> rounded(waves.jet<1>(), {.tolerance = 1e-300});
  const Answer finest = rounded.evaluate(Point<1>(0.4), y);
  CHECK(finest.level < 15);
  CHECK(finest.error < 1e-13);
}

TEST_CASE("at the deepest level no error is claimed across a jump") {
  const auto step =
      exact_function<1>(1, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = x[0] > 0.3;
        J(0, 0) = 0;
      });
  Eigen::VectorXd y;
  for (const int deepest : {3, 4, 5, 6, 7, 8})
    for (const double tolerance : {1.0 / 6, 1.0 / 60}) {
      const AdaptiveGrid<1> grid(step, {.deepest_level = deepest, .tolerance = tolerance});
      for (double x = 0; x < 1; x += 1.0 / 1023) {
        const Answer answer = grid.evaluate(Point<1>(x), y);
        if (answer.level == deepest && std::abs(y[0] - (x > 0.3)) > tolerance)
          REQUIRE(answer.trust == Trust::discontinuous);
      }
    }
}

TEST_CASE("an error estimate outside the domain is that of the answer there") {
  GridOptions<1> options;
  options.lower[0] = 0;
  options.upper[0] = 2;
  options.tolerance = 1e-3;
  options.outside = OutsidePolicy::clamp;
  const AdaptiveGrid<1> grid(Waves<1>(1).jet<1>(), options);
  Eigen::VectorXd y;
  CHECK(grid.evaluate(Point<1>(5), y).trust == Trust::extended);
  CHECK(grid.error_estimate(Point<1>(5)).trust == Trust::extended);
  CHECK(std::isnan(grid.error_estimate(Point<1>(5)).error));
}
