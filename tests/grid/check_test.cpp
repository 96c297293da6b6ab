// SPDX-License-Identifier: BSD-3-Clause
// GridView::check, and why an error is not known.
#include "quoin/quoin.hpp"
#include "quoin/util/errors.hpp"
#include "testing/drawn.hpp"
#include "testing/drawn_rows.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// How often a check's confidence is kept.
struct Kept {
  int checks = 0, kept = 0;

  template <int Dim>
  void draw(DrawingRandom& random) {
    const DrawnRow<Dim> row = drawn_row<Dim>("waves", random);
    const auto f = exact_function<Dim>(1, [row](const Point<Dim>& x, auto y, auto J) {
      Point<Dim> gradient;
      y[0] = row(x, gradient);
      J.row(0) = gradient.transpose();
    });
    GridOptions<Dim> options;
    options.spacing.setConstant(drawn(random, 0.3, 1));
    if (drawn_index(random, 2)) options.tolerance = 1e-3;
    const AdaptiveGrid<Dim> grid(f, options);
    Eigen::MatrixXd X(Dim, 300);
    for (double& number : X.reshaped()) number = drawn(random, -2, 2);
    const ErrorCheck check = grid.check(X, 1 + drawn_index(random, 16));
    Eigen::VectorXd y;
    Point<Dim> gradient;
    int no_larger = 0;
    for (const Point<Dim> x : X.colwise()) {
      grid.evaluate(x, y);
      no_larger += std::abs(y[0] - row(x, gradient)) <= check.largest * (1 + 1e-9);
    }
    ++checks;
    kept += no_larger >= check.share * 300;
    for (Eigen::Index n = 0; n < check.errors.size(); ++n) {
      const Point<Dim> x = check.points.col(n);
      grid.evaluate(x, y);
      CHECK(check.errors[n] == Approx(std::abs(y[0] - row(x, gradient))).margin(1e-14));
    }
  }
};

auto counted(const Calls& calls) { return counted_waves<2>(calls, 3); }

GridOptions<2> half() {
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  return options;
}

}  // namespace

TEST_CASE("what a check says of the other points holds in 95 of 100 cases") {
  DrawingRandom random(seed_wanted() + 5);
  Kept kept;
  for (int draws = draws_wanted(70); draws > 0; --draws) {
    kept.draw<1>(random);
    kept.draw<2>(random);
    kept.draw<3>(random);
  }
  CAPTURE(kept.kept, kept.checks);
  CHECK(kept.kept >= 0.92 * kept.checks);  // 95 %, less two deviations of so many draws
}

TEST_CASE("a check calls f as often as it says, once, keeps what it answers, and changes no answer") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted(calls), half());
  Eigen::MatrixXd X(2, 40);
  for (Eigen::Index m = 0; m < 40; ++m) X.col(m) << 0.03 * double(m), std::sin(0.1 * double(m));
  Eigen::MatrixXd before, after;
  for (const auto& view :
       {grid.at_level(0), grid.at_tolerance(1e-3), grid.linear_output(Eigen::MatrixXd::Ones(1, 3))}) {
    view.evaluate_batch(X, before);
    const int prepared = *calls;
    const ErrorCheck check = view.check(X, 6);
    CHECK(check.errors.size() == 6);
    CHECK(check.jacobian_errors.size() == 6);
    CHECK(check.share == Approx(0.607).margin(1e-3));
    CHECK(check.largest >= check.root_mean_square);
    CHECK(check.message.find("6 of 40 points compared with f") == 0);
    const int checked = *calls;
    CHECK(checked <= prepared + 6);
    CHECK(view.check(X, 6).errors == check.errors);
    CHECK(*calls == checked);
    view.evaluate_batch(X, after);
    CHECK(before == after);
    CHECK(*calls == checked);
  }
  // Kept as all samples are: another grid knows them.
  const Calls none = new_calls();
  AdaptiveGrid<2> other(counted(none), half());
  other.insert(grid.samples());
  other.check(X, 6);
  CHECK(*none == 0);
}

TEST_CASE("samples of f next to points are f's own, in their order, kept, and make no cell") {
  const Calls calls = new_calls();
  GridOptions<2> options = half();
  options.lower.setConstant(-1);
  options.upper.setConstant(1);
  const AdaptiveGrid<2> grid(counted(calls), options);
  Eigen::MatrixXd X(2, 4);
  X << 0.1, -0.7, 0.1, 1, 0.2, 0.33, 0.2, -1;
  const Samples<2> samples = grid.sample(X);
  CHECK(*calls == 3);
  CHECK(samples.size() == 4);
  CHECK((samples.points - X).cwiseAbs().maxCoeff() < 1e-6);
  const Waves<2> waves(3);
  for (Eigen::Index m = 0; m < 4; ++m) {
    CHECK((samples.jet(m).col(0) - waves.value(samples.point(m))).norm() < 1e-14);
    CHECK((samples.jet(m).rightCols(2) - waves.jacobian(samples.point(m))).norm() < 1e-13);
  }
  CHECK(grid.statistics().cells == 0);
  grid.linear_output(Eigen::MatrixXd::Ones(1, 3)).sample(X);
  CHECK(*calls == 3);
  CHECK(grid.samples().size() == 3);
  X(0, 2) = 1.5;
  CHECK_THROWS_AS(grid.sample(X), DomainError);
}

TEST_CASE("functions of values alone, failures, corners and points outside are checked, or told") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.spacing.setConstant(0.125);
  options.lower.setConstant(-1);
  options.upper.setConstant(1);
  const AdaptiveGrid<2> values(exact_function_without_derivatives<2>(1,
                                                                     [&calls](const Point<2>& x, auto y) {
                                                                       ++*calls;
                                                                       if (x[0] > 0.6) throw CornerFailure("too far");
                                                                       y[0] = std::exp(x[0]) * x[1];
                                                                     }),
                               options);
  Eigen::MatrixXd X = Eigen::MatrixXd::Constant(2, 30, 0.3);
  X.row(0) = Eigen::RowVectorXd::LinSpaced(30, -0.9, 0.1);
  const ErrorCheck check = values.check(X, 4);
  CHECK(check.errors.size() == 4);
  CHECK(check.jacobian_errors.size() == 0);
  CHECK(check.failed == 0);
  CHECK(check.largest < 1e-2);

  X.row(0) = Eigen::RowVectorXd::LinSpaced(30, -0.9, 0.9);
  CHECK(values.check(X, 30).failed > 3);
  CHECK_THROWS_AS(values.check(Eigen::MatrixXd::Constant(2, 3, 1.5), 4), DomainError);
  CHECK_THROWS_AS(values.check(X, 0), std::invalid_argument);
  CHECK_THROWS_AS(values.check(Eigen::MatrixXd::Zero(3, 3), 4), std::invalid_argument);

  const ErrorCheck corners = values.check(Eigen::MatrixXd::Zero(2, 5), 4);
  CHECK(corners.errors.size() == 0);
  CHECK(std::isnan(corners.largest));
  CHECK(corners.message.find("nothing was compared") == 0);
}

TEST_CASE("where an error is not known, it is told why") {
  GridOptions<2> options = half();
  options.lower.setConstant(-2);
  options.upper.setConstant(2);
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted(calls), options);
  const Point<2> x(0.3, 0.2);
  Eigen::VectorXd y;
  CHECK(grid.why_unknown(x).find("no query has been in this cell") == 0);
  grid.evaluate(x, y);
  CHECK(grid.why_unknown(x).find("level 0 has no coarser level") == 0);
  Eigen::MatrixXd X(2, 3);
  X << 0.3, 5, 0.3, 0.2, 0, 0.2;
  CHECK(grid.why_unknown(X).find("2 of 3 points: level 0 has no coarser level") == 0);
  CHECK(grid.why_unknown(X).find("1 of 3 points: outside the domain") != std::string::npos);
  grid.at_level(1).evaluate(x, y);
  CHECK(grid.why_unknown(x).empty());

  const GridView<2> to_tolerance = grid.at_tolerance(1e-2);
  CHECK_FALSE(to_tolerance.why_unknown(Point<2>(-1.3, 0.2)).empty());
  to_tolerance.evaluate(Point<2>(-1.3, 0.2), y);
  CHECK(to_tolerance.why_unknown(Point<2>(-1.3, 0.2)).empty());
}

TEST_CASE("a reason is given exactly where nothing is known of the error") {
  DrawingRandom random(seed_wanted() + 9);
  for (int draws = draws_wanted(30); draws > 0; --draws) {
    const auto& families = right_families();
    const DrawnRow<2> row = drawn_row<2>(families[std::size_t(drawn_index(random, int(families.size())))], random);
    const AdaptiveGrid<2> grid(exact_function<2>(1,
                                                 [row](const Point<2>& x, auto y, auto J) {
                                                   Point<2> gradient;
                                                   if (x[0] > 1.4) throw CornerFailure("beyond");
                                                   y[0] = row(x, gradient);
                                                   J.row(0) = gradient.transpose();
                                                 }),
                               half());
    GridView<2> view = grid.at_level(drawn_index(random, 3));
    if (drawn_index(random, 2)) view = grid.at_tolerance(1e-2);
    Eigen::VectorXd y;
    for (int k = 0; k < 20; ++k) {
      const Point<2> x(drawn(random, -2, 2), drawn(random, -2, 2));
      if (k % 2) view.try_evaluate(x, y);
      if (k % 3 == 0) grid.at_level(view.level() + 1).try_evaluate(x, y);
      CHECK(view.why_unknown(x).empty() == (view.error_estimate(x).error >= 0));
    }
  }
}
