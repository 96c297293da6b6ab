// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("the nearest corner and its jet are those of the level's lattice, shared with the cells") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.lower = Point<2>(0, 0);
  options.upper = Point<2>(2, 2);
  const AdaptiveGrid<2> grid(counted_waves<2>(calls, 3), options);
  const auto view = grid.at_level(1);
  CHECK(view.nearest_corner(Point<2>(0.3, 0.7)) == Point<2>(0.5, 0.5));
  CHECK(view.nearest_corner(Point<2>(7, -3)) == Point<2>(2, 0));
  CHECK_THROWS_AS(view.nearest_corner(Point<2>(std::nan(""), 0)), DomainError);
  CHECK(view.jet_order() == 1);
  Eigen::MatrixXd jet;
  view.corner_jet(Point<2>(0.3, 0.7), jet);
  CHECK(*calls == 1);
  const Waves<2> waves(3);
  CHECK(jet.col(0) == waves.value(Point<2>(0.5, 0.5)));
  CHECK(jet.rightCols(2) == waves.jacobian(Point<2>(0.5, 0.5)));
  Eigen::VectorXd y;
  view.evaluate(Point<2>(0.6, 0.6), y);
  CHECK(*calls == 4);
}
