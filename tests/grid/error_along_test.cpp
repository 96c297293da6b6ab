// SPDX-License-Identifier: BSD-3-Clause
#include "newton_on_grid.hpp"
#include "quoin/grid/interleave.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("the error along points is right to a factor of two from three levels, cautious from two, unknown from one") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  Eigen::MatrixXd X(2, 100);
  for (int i = 0; i < 100; ++i) X.col(i) << 0.1 + 0.016 * i, 0.9 * std::sin(0.08 * i);
  const auto exact = counted_residual(new_calls());
  const auto largest_errors = [&](int level) {
    Answer most{.error = 0, .jacobian_error = 0};
    Eigen::VectorXd y, truth;
    Eigen::MatrixXd J, jacobian;
    for (int i = 0; i < 100; ++i) {
      const Point<2> x = X.col(i);
      grid.at_level(level).evaluate(x, y, J);
      exact.evaluate(x, truth, jacobian);
      most.error = std::max(most.error, (y - truth).norm() / std::sqrt(2.));
      most.jacobian_error = std::max(most.jacobian_error, (J - jacobian).colwise().norm().maxCoeff() / std::sqrt(2.));
    }
    return most;
  };
  CHECK(grid.at_level(0).error_along(X).trust == Trust::unchecked);
  for (int level = 1; level <= 4; ++level) {
    CAPTURE(level);
    const Answer truth = largest_errors(level);
    const Answer said = grid.at_level(level).error_along(X);
    CHECK(said.trust == (level == 1 ? Trust::estimated : Trust::indicated));
    CHECK(said.error < (level == 1 ? 50 : 2) * truth.error);
    CHECK(said.jacobian_error < (level == 1 ? 50 : 2) * truth.jacobian_error);
    CHECK(said.error > 0.5 * truth.error);
    CHECK(said.jacobian_error > 0.5 * truth.jacobian_error);
  }
  CHECK_THROWS_AS(grid.at_level(2).error_along(Eigen::MatrixXd::Zero(3, 1)), std::invalid_argument);
}

TEST_CASE("levels go on until the map knows that it answers well enough along the iterate, and no further") {
  // Not at the iterate alone, which may lie where the error has a zero.
  const auto path = [](const Point<2>& x) {
    Eigen::MatrixXd points(2, 40);
    for (int i = 0; i < 40; ++i) points.col(i) = x + i / 39. * (Point<2>(1, 1) - x);
    return points;
  };
  const auto errors = [&](const GridView<2>& view, const Point<2>& x) { return view.error_along(path(x)); };
  int last_level = 0;
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    CAPTURE(tolerance);
    AdaptiveGrid<2> grid(counted_residual(new_calls()), {.spacing = {4, 4}});
    const auto result = interleave(grid, newton, Point<2>(1, 1),
                                   {.schedule = LevelsUntil<2, Point<2>>{.errors = errors, .tolerance = tolerance}});
    REQUIRE(result.stop == InterleaveStop::converged);
    const int level = result.rounds.back().level;
    CHECK(level > last_level);
    last_level = level;
    double largest = 0;
    const Eigen::MatrixXd points = path(result.iterate);
    Eigen::VectorXd y;
    for (int i = 0; i < points.cols(); ++i) {
      const Point<2> x = points.col(i);
      grid.at_level(level).evaluate(x, y);
      largest = std::max(largest, (y - Eigen::VectorXd(residual(x))).norm() / std::sqrt(2.));
    }
    CHECK(largest <= 2 * tolerance);
    CHECK(largest > tolerance / 64);  // a level is a factor of 16, the estimate right to one of two
  }
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto result =
      interleave(grid, newton, Point<2>(1, 1),
                 {.schedule = LevelsUntil<2, Point<2>>{.errors = errors, .tolerance = 1e-12, .last = 3}});
  CHECK(result.stop == InterleaveStop::out_of_reach);
  CHECK_THAT(result.message, Catch::Contains("on level 3, the last; asked were 1e-12"));
  CHECK(result.rounds.size() == 4);
  CHECK_THROWS_WITH(interleave(grid, newton, Point<2>(1, 1), {.schedule = LevelsUntil<2, Point<2>>{.tolerance = 1}}),
                    Catch::Contains("LevelsUntil needs `errors`"));
}
