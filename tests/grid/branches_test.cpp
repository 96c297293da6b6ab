// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

constexpr double jump_at = 0.37;  // no lattice point

/// Two planes, 10 apart, that meet along x_0 + 0.2 x_1 = 0.37; labelled, or not.
Eigen::Vector2d upper_plane(const Point<2>& x) { return {10 + x[0] - 2 * x[1], x[1]}; }
Eigen::Vector2d lower_plane(const Point<2>& x) { return {x[0] + x[1], -x[1]}; }
bool is_upper(const Point<2>& x) { return x[0] + 0.2 * x[1] > jump_at; }

auto two_planes(const Calls& calls, bool labelled = true) {
  return exact_function<2>(2,
                           [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
                             ++*calls;
                             if (is_upper(x)) {
                               y = upper_plane(x);
                               J << 1, -2, 0, 1;
                               return labelled ? 7 : 0;
                             }
                             y = lower_plane(x);
                             J << 1, 1, 0, -1;
                             return labelled ? -3 : 0;
                           });
}

double off_both(const Point<2>& x, const Eigen::VectorXd& y) {
  return std::min((y - upper_plane(x)).norm(), (y - lower_plane(x)).norm());
}

const auto points = random_points<2>(400, Point<2>(-1, -1), Point<2>(1, 1), 12);

}  // namespace

TEST_CASE("cells with two branches are never interpolated across") {
  const AdaptiveGrid<2> blind(two_planes(new_calls(), false)), grid(two_planes(new_calls()));
  Eigen::VectorXd y;
  double worst_blind = 0;
  int near = 0;
  for (const Point<2>& x : points) {
    blind.evaluate(x, y);
    worst_blind = std::max(worst_blind, off_both(x, y));
    const Answer answer = grid.evaluate(x, y);
    CHECK(off_both(x, y) < 1e-12);
    near += answer.trust == Trust::nearest_branch;
    if (answer.trust != Trust::nearest_branch)
      CHECK((y - (is_upper(x) ? upper_plane(x) : lower_plane(x))).norm() < 1e-12);
  }
  CHECK(worst_blind > 1);
  CHECK(near > 0);
  CHECK(near < 60);  // cells of 1/8 along a line
}

TEST_CASE("mixed cells are split down to the limit and no further") {
  Eigen::VectorXd y;
  for (const int splits : {0, 2, 5}) {
    const AdaptiveGrid<2> grid(two_planes(new_calls()), {.branch_splits = splits});
    int deepest = 0;
    for (const Point<2>& x : points) {
      const Answer answer = grid.evaluate(x, y);
      deepest = std::max(deepest, answer.level);
      if (answer.trust == Trust::nearest_branch) CHECK(answer.level == splits);
    }
    CHECK(deepest == splits);
    // Below the requested level, not below level 0.
    const Answer at_two = grid.at_level(2).evaluate(Point<2>(jump_at - 0.2 * 0.31, 0.31), y);
    CHECK(at_two.trust == Trust::nearest_branch);
    CHECK(at_two.level == 2 + splits);
  }
  CHECK_THROWS_WITH(AdaptiveGrid<2>(two_planes(new_calls()), {.branch_splits = -1}),
                    Catch::Contains("branch_splits = -1"));
}

TEST_CASE("a mixed cell is answered by policy") {
  const Point<2> x(jump_at + 0.001 - 0.2 * 0.31, 0.31);  // just on the upper side
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const Calls calls = new_calls();
  const AdaptiveGrid<2> calling(two_planes(calls), {.on_branches = BranchPolicy::call_function});
  const Answer called = calling.evaluate(x, y, J);
  CHECK(called.trust == Trust::exact);
  CHECK(y == upper_plane(x));
  CHECK(J(0, 1) == -2);
  const int before = *calls;
  calling.evaluate(x, y);
  CHECK(*calls == before + 1);

  const AdaptiveGrid<2> strict(two_planes(new_calls()), {.on_branches = BranchPolicy::throw_error});
  CHECK_THROWS_AS(strict.evaluate(x, y), CornerFailure);
  CHECK(strict.try_evaluate(x, y, J).trust == Trust::failed);
  CHECK(strict.evaluate(Point<2>(-0.9, -0.9), y).has_value());
}

TEST_CASE("an answer from the nearest corner is its Taylor polynomial, in every kind of query") {
  // A quadratic on one side, its jet of order 2: exact from one corner.
  const auto f = exact_jet<2, 2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) -> int {
    const bool upper = x[0] > 0.3;
    const double sign = upper ? 1 : -1;
    jet << sign * (4 + x[0] * x[0] + 3 * x[0] * x[1]), sign * (2 * x[0] + 3 * x[1]), sign * 3 * x[0], sign * 2,
        sign * 3, 0;
    return upper;
  });
  AdaptiveGrid<2> grid(f, {.branch_splits = 0});
  const auto functional = grid.linear_output(Eigen::MatrixXd::Constant(2, 1, 2.0));
  for (const Point<2>& x : {Point<2>(0.2, 0.4), Point<2>(0.45, 0.9), Point<2>(0.8, 0.2)}) {
    const double sign = x[0] > 0.5 ? 1 : -1;  // the side of the nearest corner, at 0 or 1
    const double value = sign * (4 + x[0] * x[0] + 3 * x[0] * x[1]);
    const Eigen::RowVector2d slope = sign * Eigen::RowVector2d(2 * x[0] + 3 * x[1], 3 * x[0]);
    Eigen::VectorXd y, Jw, Jtv, w(2), v(1);
    Eigen::MatrixXd J, Y;
    w << 1, 2;
    v << 3;
    const Answer answer = grid.evaluate(x, y, J);
    CHECK(answer.trust == Trust::nearest_branch);
    CHECK(std::isnan(answer.error));
    CHECK(y[0] == Approx(value));
    CHECK((J - slope).norm() < 1e-12);
    grid.jvp(x, w, Jw);
    grid.vjp(x, v, Jtv);
    grid.evaluate_batch(x, Y);
    CHECK(Jw[0] == Approx(slope * w));
    CHECK((Jtv - 3 * slope.transpose()).norm() < 1e-12);
    CHECK(Y(0, 0) == y[0]);
    CHECK(functional.evaluate(x, y).trust == Trust::nearest_branch);
    CHECK(y[1] == Approx(2 * value));
  }
}

TEST_CASE("prepared points with two branches need no further call") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(two_planes(calls));
  Eigen::MatrixXd X(2, 400);
  for (int m = 0; m < 400; ++m) X.col(m) = points[m];
  grid.prefetch(X);
  const int prepared = *calls;
  Eigen::VectorXd y;
  for (const Point<2>& x : points) grid.evaluate(x, y);
  CHECK(*calls == prepared);
}

TEST_CASE("to a tolerance a branch seen at the centre alone rejects the cell too") {
  // A disc of another branch within the cell [0, 1]^2 that no corner sees.
  const Calls calls = new_calls();
  const auto f = exact_function<2>(
      1, [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        ++*calls;
        const bool inside = (x - Point<2>(0.5, 0.5)).norm() < 0.31;
        y[0] = inside ? 5 : x[0];
        J << (inside ? 0 : 1), 0;
        return inside;
      });
  const AdaptiveGrid<2> grid(f, {.tolerance = 1e-6});
  Eigen::VectorXd y;
  for (const Point<2>& x : random_points<2>(200, Point<2>(0, 0), Point<2>(1, 1), 13)) {
    const Answer answer = grid.evaluate(x, y);
    CHECK(std::min(std::abs(y[0] - 5), std::abs(y[0] - x[0])) < 1e-12);
    if (answer.trust == Trust::estimated) CHECK(y[0] == Approx((x - Point<2>(0.5, 0.5)).norm() < 0.31 ? 5 : x[0]));
  }
  CHECK(grid.evaluate(Point<2>(0.5, 0.5), y).trust == Trust::estimated);
  CHECK(y[0] == 5);
}

TEST_CASE("a function that starts from a neighbour gets the nearest solved corner") {
  struct Seen {
    Point<1> x, start;
    double value;
    bool first;
  };
  const auto seen = std::make_shared<std::vector<Seen>>();
  const auto callable = [seen](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J,
                               const SolvedCorner<1>* start) {
    seen->push_back({x, start ? start->x : Point<1>(0), start ? start->jet(0, 0) : 0, start == nullptr});
    y[0] = 2 * x[0];
    J(0, 0) = 2;
  };
  CHECK_THROWS_WITH(AdaptiveGrid<1>(exact_function<1>(1, callable)), Catch::Contains("repeatable_to = 0"));

  const AdaptiveGrid<1> grid(exact_function<1>(1, callable, {.repeatable_to = 1e-9}));
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(0.5), y);
  grid.evaluate(Point<1>(3.2), y);
  grid.at_level(1).evaluate(Point<1>(3.7), y);
  REQUIRE(seen->size() == 5);
  CHECK((*seen)[0].first);
  CHECK((*seen)[1].start == Point<1>(0));
  CHECK((*seen)[2].x == Point<1>(3));
  CHECK((*seen)[2].start == Point<1>(1));
  CHECK((*seen)[2].value == 2);
  CHECK((*seen)[3].start == Point<1>(3));
  CHECK((*seen)[4].x == Point<1>(3.5));
  CHECK((*seen)[4].start == Point<1>(3));  // as near as 4: the smaller address
}

TEST_CASE("splits without limit end at the deepest level") {
  const AdaptiveGrid<2> grid(two_planes(new_calls()),
                             {.deepest_level = 6, .branch_splits = std::numeric_limits<int>::max()});
  Eigen::VectorXd y;
  const Point<2> x(jump_at - 0.2 * 0.31, 0.31);
  CHECK(grid.evaluate(x, y).level == 6);
  CHECK(grid.at_level(2).evaluate(x, y).level == 6);
}

TEST_CASE("labels of values alone: a gradient is not differenced across branches, its cells are split") {
  const auto f = exact_function_without_derivatives<1>(1, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y) -> int {
    const bool right = x[0] > 2.3;
    y[0] = right ? 100 + x[0] * x[0] : x[0] * x[0];
    return right;
  });
  const auto value = [](double x) { return x > 2.3 ? 100 + x * x : x * x; };
  Eigen::VectorXd y;
  const AdaptiveGrid<1> levels(f), tolerant(f, {.tolerance = 1e-6});
  for (const double x : {-5.5, 0.5, 1.5, 2.05, 2.6, 3.5, 7.5}) {
    CAPTURE(x);
    CHECK(levels.evaluate(Point<1>(x), y).has_value());
    CHECK(std::abs(y[0] - value(x)) < 0.6);  // from the nearest corner's value at worst, never from the other branch
    CHECK(levels.at_level(5).evaluate(Point<1>(x), y).trust == Trust::unchecked);
    CHECK(y[0] == Approx(value(x)));
    CHECK(tolerant.evaluate(Point<1>(x), y).has_value());
    CHECK(std::abs(y[0] - value(x)) < 0.6);
  }
}
