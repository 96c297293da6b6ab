// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <optional>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("a functional is C f, costs no call where f is known, and can be added late and to itself") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.origin = {0.137, -0.163};
  options.spacing = {0.5, 0.7};
  AdaptiveGrid<2> grid(counted_waves<2>(calls, 10), options);
  Eigen::VectorXd y, z;
  Eigen::MatrixXd J, Jz;
  const Point<2> x(0.287, 0.257);
  grid.evaluate(x, y, J);
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(3, 10), D = Eigen::MatrixXd::Random(2, 3);
  const GridView<2> tip = grid.linear_output(C);
  CHECK(tip.output_size() == 3);
  CHECK(tip.evaluate(x, z, Jz).level == 0);
  CHECK(*calls == 4);
  CHECK((z - C * y).norm() < 1e-14);
  CHECK((Jz - C * J).norm() < 1e-13);
  const GridView<2> tip_of_tip = tip.linear_output(D);
  tip_of_tip.evaluate(x, z, Jz);
  CHECK((z - D * C * y).norm() < 1e-14);
  CHECK(*calls == 4);
  // Conversely, a functional's corners are the function's.
  const Point<2> elsewhere(2.887, 3.687);
  tip_of_tip.evaluate(elsewhere, z);
  CHECK(*calls == 8);
  grid.evaluate(elsewhere, y);
  CHECK(*calls == 8);
  CHECK((z - D * C * y).norm() < 1e-14);
  tip.at_level(1).evaluate(x, z);  // of the four corners of the finer cell one is known
  CHECK(*calls == 11);
  CHECK_THROWS_WITH(grid.linear_output(Eigen::MatrixXd::Ones(2, 9)), Catch::Contains("2 x 9") && Catch::Contains("10"));
  CHECK_THROWS_AS(grid.linear_output(Eigen::MatrixXd(0, 10)), std::invalid_argument);
}

TEST_CASE("functionals that nobody has any more are given back, with their corners and cells") {
  AdaptiveGrid<2> grid(Waves<2>(100).jet<1>());
  Eigen::VectorXd y;
  grid.evaluate({0.5, 0.5}, y);
  const GridStatistics before = grid.statistics();
  std::optional<GridView<2>> kept;
  for (int i = 0; i < 300; ++i) {
    const GridView<2> sum = grid.linear_output(Eigen::MatrixXd::Ones(10, 100));
    kept = sum.linear_output(Eigen::MatrixXd::Ones(1, 10));
    kept->evaluate({0.5, 0.5}, y);
  }
  CHECK(grid.statistics().cells == before.cells + 1);              // the last one's
  CHECK(grid.statistics().bytes > before.bytes + 10 * 4 * 3 * 8);  // corners of the underlying function
  kept.reset();
  CHECK(grid.statistics().cells == before.cells);
  grid.trim();
  grid.evaluate({0.5, 0.5}, y);
  CHECK(grid.statistics().bytes == before.bytes);
}

TEST_CASE("a functional outlives the grid, and the functional that it was made from") {
  std::optional<GridView<2>> one;
  const Waves<2> waves(3);
  {
    AdaptiveGrid<2> grid(waves.jet<1>());
    one = grid.linear_output(2 * Eigen::MatrixXd::Identity(3, 3)).linear_output(Eigen::MatrixXd::Ones(1, 3));
  }
  Eigen::VectorXd y;
  one->evaluate({1, 1}, y);
  CHECK(y[0] == Approx(2 * waves.value({1, 1}).sum()).margin(1e-14));
}

TEST_CASE("a functional like a view is at its level or to its tolerance, and so is a view like a functional") {
  const Calls calls = new_calls();
  AdaptiveGrid<2> grid(counted_waves<2>(calls, 3));
  const GridView<2> sum = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
  const Point<2> x(0.3, 0.4);
  Eigen::VectorXd y, z, of_sum;
  for (const GridView<2>& view : {grid.at_level(2), grid.at_tolerance(1e-3), grid.at_level(0)}) {
    const GridView<2> like = sum.at_resolution_of(view);
    CHECK(like.level() == view.level());
    CHECK(like.tolerance() == view.tolerance());
    CHECK(like.output_size() == 1);
    if (view.tolerance())
      sum.at_tolerance(*view.tolerance()).evaluate(x, of_sum);
    else
      sum.at_level(view.level()).evaluate(x, of_sum);
    const int known = *calls;
    like.evaluate(x, z);
    CHECK(*calls == known);
    CHECK(z == of_sum);
    const GridView<2> back = view.at_resolution_of(like);
    CHECK(back.level() == view.level());
    CHECK(back.tolerance() == view.tolerance());
    CHECK(back.output_size() == 3);
  }
  GridOptions<2> shallow;
  shallow.deepest_level = 1;
  const AdaptiveGrid<2> other(Waves<2>(3).jet<1>(), shallow);
  CHECK_THROWS_WITH(other.at_resolution_of(grid.at_level(2)), Catch::Contains("level 2 is not in 0..1"));
}

TEST_CASE("functionals that are not finite are refused, those that overflow fail") {
  AdaptiveGrid<2> grid(Waves<2>(3).jet<1>());
  Eigen::MatrixXd C = Eigen::MatrixXd::Ones(2, 3);
  C(1, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(grid.linear_output(C), Catch::Contains("C(1, 2) = nan is not finite"));
  const GridView<2> huge = grid.linear_output(Eigen::MatrixXd::Constant(1, 3, 1e300));
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(huge.evaluate({0.5, 0.5}, y), Catch::Contains("too large to be interpolated"));
}
