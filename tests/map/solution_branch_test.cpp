// SPDX-License-Identifier: BSD-3-Clause
// Branches of von Mises' truss, in closed form.
#include "quoin/map/solution_branch.hpp"
#include "quoin/quoin.hpp"

#include "testing/refused_options.hpp"
#include "testing/von_mises_truss.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace quoin;
using Catch::Matchers::Contains;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const Point<2> origin(0, 0.9), spacing(0.005, 0.025);
const Point<2> lower(-0.04, 0.8), upper(0.04, 0.95);

SolutionBranch<2> branch(double side) {
  return SolutionBranch<2>(truss::correct, origin, VectorXd::Constant(1, side * truss::rise(0.9)), {.step = spacing});
}

std::vector<Point<2>> random_points(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::vector<Point<2>> points;
  for (int i = 0; i < count; ++i) {
    const double first = uniform(random), second = uniform(random);
    points.push_back(lower + Point<2>(first, second).cwiseProduct(upper - lower));
  }
  return points;
}

}  // namespace

TEST_CASE("a branch's fold on a line is von Mises' limit load, with its normal, on either branch") {
  const double tolerance = 1e-8;
  for (const double side : {1.0, -1.0})
    for (const double half_span : {0.8, 0.85, 0.9, 0.95}) {
      const SolutionBranch<2> one = branch(side);
      const auto end = one.end_between({0, half_span}, {side * 0.2, half_span}, tolerance);
      REQUIRE(end);
      const double fold = truss::limit_load(half_span);
      CHECK((end->beyond - end->last.x).norm() <= 2 * tolerance);
      CHECK(side * end->last.x[0] < fold);
      CHECK(side * end->last.x[0] > fold - 2 * tolerance);
      // d fold / d half_span of P = (1 - a^(2/3))^(3/2).
      const double slope = -std::cbrt(1 / half_span) * std::sqrt(1 - std::pow(half_span, 2.0 / 3));
      const Point<2> normal = Point<2>(side, -slope).normalized();
      CHECK((end->normal() - normal).norm() < 1e-3);
    }
  CHECK_FALSE(branch(1).end_between({0, 0.9}, {-0.2, 0.9}, tolerance));
}

TEST_CASE("at one point each branch has its own answer, with its Jacobian, and none beyond its fold") {
  const SolutionBranch<2> up = branch(1), down = branch(-1);
  int both = 0, hidden = 0;
  for (const Point<2>& x : random_points(300, 11)) {
    const double fold = truss::limit_load(x[1]);
    VectorXd y;
    MatrixXd J;
    for (const double side : {1.0, -1.0}) {
      const Answer answer = (side > 0 ? up : down).try_evaluate(x, y, J);
      if (side * x[0] > fold) {
        CHECK(answer.trust == Trust::failed);
        continue;
      }
      if (!answer.has_value()) {
        ++hidden;  // its waypoint lies behind the fold, or it does
        CHECK(side * x[0] > fold - spacing[0]);
        continue;
      }
      CHECK(answer.trust == Trust::exact);
      CHECK(truss::residual(x, y[0]) == Approx(0).margin(1e-13));
      CHECK(side * y[0] > 0);
      CHECK(truss::stiffness(x, y[0]) > 0);
      both += side > 0 && std::abs(x[0]) < fold;
      VectorXd ahead, behind;
      const Point<2> h(1e-7, 0);
      if (side * x[0] > fold - 1e-3) continue;
      (side > 0 ? up : down).evaluate(x + h, ahead);
      (side > 0 ? up : down).evaluate(x - h, behind);
      CHECK(J(0, 0) == Approx((ahead[0] - behind[0]) / 2e-7).epsilon(1e-4));
    }
  }
  CHECK(both > 80);
  CHECK(hidden <= 12);
}

TEST_CASE("grids over a branch that were asked in different orders agree to the bit, in answers and in failures") {
  GridOptions<2> options{.origin = origin, .spacing = spacing, .lower = lower, .upper = upper};
  options.on_failure = FailurePolicy::coarser;
  const std::vector<Point<2>> points = random_points(200, 12);
  const auto ask = [&](const AdaptiveGrid<2>& grid, std::vector<Point<2>> order) {
    VectorXd y;
    for (const Point<2>& x : order) grid.try_evaluate(x, y);
    std::vector<double> answers;
    for (const Point<2>& x : points) answers.push_back(grid.try_evaluate(x, y).has_value() ? y[0] : 1e9);
    return answers;
  };
  for (const double side : {1.0, -1.0}) {
    const AdaptiveGrid<2> first(branch(side), options), second(branch(side), options);
    std::vector<Point<2>> shuffled = points;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(13));
    const auto one = ask(first, points), other = ask(second, shuffled);
    CHECK(one == other);
    const auto ended = std::count(one.begin(), one.end(), 1e9);
    CHECK(ended > 20);
    CHECK(ended < 120);
    CHECK(first.statistics().failed_corners == second.statistics().failed_corners);
  }
}

TEST_CASE("a grid over a branch that calls it where a corner has ended answers up to the fold, and says so beyond") {
  const SolutionBranch<2> up = branch(1);
  GridOptions<2> options{.origin = origin, .spacing = spacing, .lower = lower, .upper = upper};
  options.on_failure = FailurePolicy::call_function;
  const AdaptiveGrid<2> grid(up, options);
  const double fold = truss::limit_load(0.9);
  VectorXd y;
  CHECK(grid.evaluate({-0.0123, 0.91}, y).trust == Trust::unchecked);
  CHECK(y[0] == Approx(up.at({-0.0123, 0.91}).y[0]).epsilon(1e-4));
  CHECK(grid.evaluate({fold - 1e-6, 0.9}, y).trust == Trust::exact);
  CHECK(truss::residual({fold - 1e-6, 0.9}, y[0]) == Approx(0).margin(1e-13));
  CHECK(grid.try_evaluate({fold + 1e-6, 0.9}, y).trust == Trust::failed);
  CHECK_THROWS_WITH(grid.evaluate({fold + 1e-6, 0.9}, y), Contains("it ends between (0.01"));
}

TEST_CASE("a corrector that jumps to the other branch ends the branch no later than one that knows its stability") {
  // Beyond its fold this one answers from the other branch, stable there: only the jump tells.
  const auto jumping = [](const Point<2>& x, VectorXd& y, MatrixXd& J) {
    if (truss::correct(x, y, J)) return true;
    y[0] = -1.5 * truss::rise(x[1]);
    return truss::correct(x, y, J);
  };
  const SolutionBranch<2> up(jumping, origin, VectorXd::Constant(1, truss::rise(0.9)), {.step = spacing});
  for (const double half_span : {0.8, 0.85, 0.9, 0.95}) {
    const auto end = up.end_between({0, half_span}, {0.2, half_span}, 1e-8);
    REQUIRE(end);
    CHECK(end->last.y[0] > 0);
    CHECK(end->last.x[0] == Approx(truss::limit_load(half_span)).margin(4e-8));
  }
}

TEST_CASE("a seed that is no solution is refused with the distance from one, and options with theirs") {
  const auto make = [](double y, BranchOptions<2> options) {
    return SolutionBranch<2>(truss::correct, origin, VectorXd::Constant(1, y), options);
  };
  CHECK_THROWS_WITH(make(0.45, {.step = spacing}), Contains("(0, 0.9) is off a solution by 0.0141"));
  CHECK_THROWS_WITH(make(0, {.step = spacing}), Contains("no stable solution at (0, 0.9)"));
  CHECK_THROWS_WITH(make(truss::rise(0.9), {.step = {0, 1}}), Contains("step (0, 1)"));
  CHECK_THROWS_WITH(branch(1).at({1e9, 0.9}), Contains("1e+05 waypoints"));
}

TEST_CASE("options of a branch that mean nothing are refused with their name") {
  using Options = BranchOptions<2>;
  quoin::test::RefusedOptions(
      "SolutionBranch", Options{.step = spacing},
      [](const Options& o) { SolutionBranch<2>(truss::correct, origin, VectorXd::Constant(1, truss::rise(0.9)), o); })
      .positive("step", [](Options& o) -> double& { return o.step[0]; })
      .positive("step", [](Options& o) -> double& { return o.step[1]; })
      .positive("bend", &Options::bend)
      .positive("shortest", &Options::shortest)
      .not_negative("seed_error", &Options::seed_error);
}
