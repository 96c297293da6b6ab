// SPDX-License-Identifier: BSD-3-Clause
// Names of before 0.3, which 0.4 drops.
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace quoin;

TEST_CASE("members under their names of before 0.3 answer as those of today") {
  const auto f = exact_function<2>(2, [](const Point<2>& x, auto y, auto J) {
    y << std::sin(x[0]) * x[1], x[0] + std::cos(x[1]);
    J << std::cos(x[0]) * x[1], std::sin(x[0]), 1, -std::sin(x[1]);
  });
  const AdaptiveGrid<2> grid(f, {.spacing = {0.5, 0.5}});
  const Point<2> x(0.3, 0.4), far(5.2, 5.3);
  const Eigen::MatrixXd C = Eigen::MatrixXd::Ones(1, 2), X = far;
  Eigen::VectorXd y, y_old, product, product_old;
  Eigen::MatrixXd J, J_old;

  grid.linear_output(C).evaluate(x, y);
  grid.add_functional(C).evaluate(x, y_old);
  CHECK(y == y_old);
  CHECK(grid.like(grid.at_level(2)).level() == grid.at_resolution_of(grid.at_level(2)).level());
  grid.jvp(x, Eigen::Vector2d(1, 2), product);
  grid.times(x, Eigen::Vector2d(1, 2), product_old);
  CHECK(product == product_old);
  grid.vjp(x, Eigen::Vector2d(1, 2), product);
  grid.transpose_times(x, Eigen::Vector2d(1, 2), product_old);
  CHECK(product == product_old);

  const std::size_t before = grid.statistics().exact_evaluations;
  CHECK(grid.evaluate_known(far, y).trust == Trust::failed);
  grid.expect(X);  // without evaluate_ahead nothing
  CHECK(grid.statistics().exact_evaluations == before);
  grid.prepare(X);
  CHECK(grid.statistics().exact_evaluations == before + 4);
  grid.request(X);
  CHECK(grid.evaluate_known(far, y_old, J_old).has_value());
  CHECK(grid.evaluate_cached(far, y, J).has_value());
  CHECK(y == y_old);
  CHECK(J == J_old);
}

#pragma GCC diagnostic pop
