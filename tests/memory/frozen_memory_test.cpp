// SPDX-License-Identifier: BSD-3-Clause
#include "memory/failing_allocation.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/util/errors.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

// Asks as a control loop does, in a box larger than what is known; the first query of all may allocate.
template <int Dim, class Map>
bool allocates(const Map& map, bool at_first) {
  const auto points = random_points<Dim>(300, Point<Dim>::Constant(-3), Point<Dim>::Constant(3), 5);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  std::vector<Answer> said(points.size());
  const auto ask = [&] {
    for (std::size_t m = 0; m < points.size(); ++m) {
      said[m] = map.try_evaluate(points[m], y, J);
      map.try_evaluate(points[m], y);
    }
  };
  if (!at_first) ask();
  const FailingAllocation none(0);
  try {
    ask();
  } catch (const std::bad_alloc&) {
  }
  return none.reached();
}

template <int Dim, int K>
void check_frozen() {
  CAPTURE(Dim, K);
  GridOptions<Dim> options;
  options.spacing.setConstant(1);
  options.lower.setConstant(-2);
  options.upper.setConstant(2);
  options.deepest_level = 5;
  for (const auto outside : {OutsidePolicy::throw_error, OutsidePolicy::clamp, OutsidePolicy::extend}) {
    options.outside = outside;
    const AdaptiveGrid<Dim> grid(Waves<Dim>(5).template jet<K>(), options);
    Eigen::VectorXd y;
    for (const auto& view : {grid.at_level(1), grid.at_tolerance(0.1)}) {
      for (const auto& x : random_points<Dim>(5, Point<Dim>::Constant(-2), Point<Dim>::Constant(2), 6))
        view.evaluate(x, y);
      for (const auto missing : {MissingPolicy::coarser, MissingPolicy::fail}) {
        CHECK_FALSE(allocates<Dim>(view.frozen(missing), false));
        CHECK_FALSE(allocates<Dim>(view.linear_output(Eigen::MatrixXd::Ones(1, 5)).frozen(missing), false));
      }
    }
  }
}

}  // namespace

TEST_CASE("a frozen view's queries allocate nothing once their thread has asked one") {
  check_frozen<1, 1>();
  check_frozen<2, 0>();
  check_frozen<2, 1>();
  check_frozen<2, 3>();
  check_frozen<3, 1>();
  check_frozen<3, 2>();
  check_frozen<4, 1>();
  const AdaptiveGrid<2> grid(Waves<2>(5).jet<1>());
  grid.prefetch(Eigen::MatrixXd::Zero(2, 1));
  CHECK(allocates<2>(grid.frozen(), true));  // the outputs, at first
}

TEST_CASE("nor do the grid's where its corners are there") {
  const AdaptiveGrid<2> grid(Waves<2>(400).jet<2>());
  const AdaptiveGrid<5> wide(Waves<5>(3).jet<1>());
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(400), w = Eigen::VectorXd::Ones(2);
  const Point<2> x(0.3, 0.4);
  const Point<5> x_wide = Point<5>::Constant(0.3);
  Eigen::VectorXd y, Jw, Jtv, y_wide;
  Eigen::MatrixXd J, H, V, J_wide, H_wide;
  const auto ask = [&] {
    grid.evaluate(x, y);
    grid.evaluate(x, y, J);
    grid.evaluate(x, y, J, H);
    grid.jvp(x, w, Jw);
    grid.vjp(x, v, Jtv);
    grid.curvature(x, v, V);
    wide.evaluate(x_wide, y_wide, J_wide, H_wide);
  };
  ask();
  const FailingAllocation none(0);
  ask();
  CHECK_FALSE(none.reached());
}
