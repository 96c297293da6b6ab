// SPDX-License-Identifier: BSD-3-Clause
// What has the period of a cell's edge, or of a part of it, is the same at all corners and centres: it is seen all the
// same, told, and resolved; and functions without cost hardly a call more.
#include "quoin/map/multi_index.hpp"
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/drawn_harmonic.hpp"
#include "testing/drawn_rows.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::test;

namespace {

/// A jet of sin^4 along the first axis, which is zero at all corners up to the third derivative.
template <int Dim, int K>
auto flat_pulses(double k) {
  return exact_jet<Dim, K>(1, [k](const Point<Dim>& x, auto jet) {
    const double w = k / 2, s = std::sin(w * x[0]), c = std::cos(w * x[0]);
    const std::array<double, 4> along = {s * s * s * s, 4 * w * s * s * s * c, 4 * w * w * s * s * (3 * c * c - s * s),
                                         8 * w * w * w * s * c * (3 * c * c - 5 * s * s)};
    const auto orders = graded_multi_indices<Dim>(K);
    for (std::size_t a = 0; a < orders.size(); ++a) {
      const int all = std::accumulate(orders[a].begin(), orders[a].end(), 0);
      jet(0, static_cast<Eigen::Index>(a)) = orders[a][0] == all ? along[static_cast<std::size_t>(all)] : 0;
    }
  });
}

/// Of a level's answers along a curve, what error_estimate says.
struct SaidOfLevel {
  int answers = 0, unchecked = 0, above = 0;

  template <int Dim>
  void ask(const AdaptiveGrid<Dim>& grid, const DrawnRow<Dim>& row, int level) {
    Eigen::VectorXd y;
    Point<Dim> gradient;
    for (int i = 0; i < 50; ++i) {
      const double s = 2 * std::numbers::pi * i / 50;
      const Point<Dim> x =
          Point<Dim>::NullaryExpr([&](Eigen::Index j) { return 0.4 + 0.9 * std::sin((1 + double(j)) * s + 1); });
      grid.at_level(level + 1).evaluate(x, y);  // the centres of the cells
      grid.at_level(level).evaluate(x, y);
      const Answer said = grid.at_level(level).error_estimate(x);
      ++answers;
      if (said.trust == Trust::unchecked)
        ++unchecked;
      else
        above += std::abs(y[0] - row(x, gradient)) > said.error;
    }
  }
};

struct PeriodicTally {
  int answers = 0, over = 0, above = 0;
  std::size_t calls = 0;
};

/// Answers along a curve, to a tolerance.
template <int Dim>
void ask_along_curve(const DrawnRow<Dim>& row, DrawingRandom& random, PeriodicTally& tally) {
  const double tolerance = std::exp(drawn(random, std::log(1e-5), std::log(1e-2)));
  const AdaptiveGrid<Dim> grid(function_of_row(row), {.tolerance = tolerance});
  const Point<Dim> centre = Point<Dim>::NullaryExpr([&] { return drawn(random, -1.5, 1.5); });
  const Point<Dim> first = drawn_direction<Dim>(random), second = drawn_direction<Dim>(random);
  Eigen::VectorXd y;
  Point<Dim> gradient;
  for (int i = 0; i < 100; ++i) {
    const double s = 2 * std::numbers::pi * i / 100;
    const Point<Dim> x = centre + std::cos(s) * first + std::sin(2 * s) * second;
    const Answer answer = grid.evaluate(x, y);
    const double error = std::abs(y[0] - row(x, gradient));
    ++tally.answers;
    tally.over += error > tolerance;
    tally.above += error > answer.error;
  }
  tally.calls += grid.statistics().exact_evaluations;
}

}  // namespace

TEST_CASE("a function with the period of an edge, or a part of it, is answered to the tolerance, with its error") {
  for (const char* shape : periodic_shapes) {
    for (const char* kind : periodic_kinds) {
      PeriodicTally tally;
      for (int draw = 0; draw < draws_wanted(12); ++draw) {
        DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
        const auto of_dim = [&](auto dim) {
          ask_along_curve<dim>(drawn_harmonic<dim>(shape, kind, random), random, tally);
        };
        if (draw % 3 == 0) of_dim(std::integral_constant<int, 1>());
        if (draw % 3 == 1) of_dim(std::integral_constant<int, 2>());
        if (draw % 3 == 2) of_dim(std::integral_constant<int, 3>());
      }
      CAPTURE(shape, kind, tally.answers, tally.over, tally.above);
      const bool narrow = shape == periodic_shapes[2];  // than a cell: a look may pass them by
      CHECK(tally.over <= (narrow ? 0.05 : 0.02) * tally.answers);
      CHECK(tally.above <= (narrow ? 0.08 : 0.03) * tally.answers);
    }
  }
}

TEST_CASE("a level estimates no error from corners that cannot tell f from what has the period of an edge") {
  SaidOfLevel periodic, narrow, looked_at, smooth;
  for (int draw = 0; draw < draws_wanted(60); ++draw) {
    DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
    const auto of_dim = [&](auto dim) {
      const int level = drawn_index(random, 2);
      for (const char* shape : periodic_shapes) {
        for (const char* kind : periodic_kinds) {
          const DrawnRow<dim> row = drawn_harmonic<dim>(shape, kind, random);
          (shape == periodic_shapes[2] ? narrow : periodic)
              .ask(AdaptiveGrid<dim>(function_of_row(row), GridOptions<dim>{}), row, level);
        }
      }
      const DrawnRow<dim> row = drawn_row<dim>(draw % 2 == 0 ? "waves" : "peaks", random);
      smooth.ask(AdaptiveGrid<dim>(function_of_row(row), GridOptions<dim>{}), row, level);
      const DrawnRow<dim> constant = [](const Point<dim>&, Point<dim>& gradient) {
        gradient.setZero();
        return 3.0;
      };
      const AdaptiveGrid<dim> grid(function_of_row(constant), GridOptions<dim>{});
      CHECK(grid.at_level(1).error_along(Point<dim>::Constant(0.6)).error < 1e-12);
      looked_at.ask(grid, constant, level);
    };
    if (draw % 3 == 0) of_dim(std::integral_constant<int, 1>());
    if (draw % 3 == 1) of_dim(std::integral_constant<int, 2>());
    if (draw % 3 == 2) of_dim(std::integral_constant<int, 3>());
  }
  CAPTURE(periodic.answers, periodic.unchecked, periodic.above, smooth.answers, smooth.unchecked, smooth.above);
  CAPTURE(narrow.answers, narrow.unchecked, narrow.above);
  CHECK(periodic.above <= 0.01 * periodic.answers);
  CHECK(narrow.above <= 0.05 * narrow.answers);
  CHECK(smooth.unchecked == 0);
  CHECK(smooth.above <= 0.01 * smooth.answers);
  CHECK(looked_at.unchecked == 0);
  CHECK(looked_at.above == 0);
}

TEST_CASE("jets of order 2 and 3 do not tell it either") {
  const auto check = [](auto dim, auto order) {
    for (const int periods : {1, 2, 3, 4}) {
      const double k = 2 * std::numbers::pi * periods;
      CAPTURE(dim(), order(), periods);
      const AdaptiveGrid<dim> grid(flat_pulses<dim, order>(k), {.tolerance = 1e-4});
      const AdaptiveGrid<dim> fresh(flat_pulses<dim, order>(k), GridOptions<dim>{});
      Eigen::VectorXd y;
      for (int i = 0; i < 50; ++i) {
        const Point<dim> x = Point<dim>::Constant(0.03 + 0.041 * i);
        const double truth = std::pow(std::sin(k * x[0] / 2), 4);
        const Answer answer = grid.evaluate(x, y);
        CHECK(std::abs(y[0] - truth) <= 1e-4);
        CHECK(std::abs(y[0] - truth) <= answer.error);
        fresh.at_level(0).evaluate(x, y);
        const Answer said = fresh.at_level(0).error_estimate(x);
        CHECK((said.trust == Trust::unchecked || said.error >= std::abs(y[0] - truth)));
      }
    }
  };
  check(std::integral_constant<int, 1>(), std::integral_constant<int, 2>());
  check(std::integral_constant<int, 1>(), std::integral_constant<int, 3>());
  check(std::integral_constant<int, 2>(), std::integral_constant<int, 2>());
}

TEST_CASE("a tolerance's error_estimate says none that a query would refuse") {
  int refused = 0, kept = 0;
  for (int draw = 0; draw < draws_wanted(60); ++draw) {
    DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
    const DrawnRow<2> row =
        draw % 3 == 0 ? drawn_row<2>("waves", random)
                      : drawn_harmonic<2>(periodic_shapes[draw % 3], periodic_kinds[drawn_index(random, 3)], random);
    const AdaptiveGrid<2> grid(function_of_row(row), {.tolerance = 1e-3});
    Eigen::VectorXd y;
    Point<2> gradient;
    const Eigen::MatrixXd X = Eigen::MatrixXd::NullaryExpr(2, 40, [&] { return drawn(random, -2, 2); });
    for (int level = 0; level < 5; ++level) grid.at_level(level).prefetch(X);  // no query to a tolerance has met these
    if (draw % 2 == 0) grid.evaluate(Point<2>(X.col(0)), y);
    for (const Point<2> x : X.colwise()) {
      const Answer known = grid.evaluate_cached(x, y), said = grid.error_estimate(x);
      if (known.trust == Trust::estimated) {
        ++kept;
        refused += std::abs(y[0] - row(x, gradient)) > std::max(known.error, 1e-3);
      }
      if (said.trust == Trust::estimated) {
        grid.evaluate(x, y);
        refused += std::abs(y[0] - row(x, gradient)) > std::max(said.error, 1e-3);
      }
    }
  }
  CAPTURE(kept);
  CHECK(kept > 0);
  CHECK(refused <= 0.02 * kept);
}

TEST_CASE("without f, where no query can look, an estimate says what a query says") {
  const auto line = exact_function<1>(1, [](const Point<1>& x, auto y, auto J) {
    y[0] = 2 * x[0];
    J(0, 0) = 2;
  });
  const AdaptiveGrid<1> sampled(line, GridOptions<1>{});
  for (int level = 0; level < 3; ++level) sampled.at_level(level).prefetch(Eigen::RowVectorXd::LinSpaced(9, 0, 4));
  const AdaptiveGrid<1> grid(sampled.samples(), {.tolerance = 1e-3});
  Eigen::VectorXd y;
  grid.at_level(0).evaluate(Point<1>(1.3), y);  // makes the cell
  const Answer said = grid.error_estimate(Point<1>(1.3));
  CHECK(said.trust == Trust::estimated);
  CHECK(said.error == grid.evaluate(Point<1>(1.3), y).error);
}

TEST_CASE("neither a tolerance that forgives all, nor a look at which f fails, nor a path on faces tells it either") {
  const double edge = std::numbers::pi / 2;
  const auto wave_of = [](double k) {
    return exact_function<2>(1, [k](const Point<2>& at, auto value, auto J) {
      value[0] = std::cos(k * at[0]);
      J << -k * std::sin(k * at[0]), 0;
    });
  };
  const auto fresh = [&](auto f) { return AdaptiveGrid<2>(f, {.spacing = Point<2>::Constant(edge)}); };
  const Point<2> x(0.31, 0.4);
  Eigen::VectorXd y;

  const AdaptiveGrid<2> forgiving = fresh(wave_of(8));
  forgiving.at_tolerance(100).evaluate(x, y);
  forgiving.at_level(0).evaluate(x, y);
  CHECK(forgiving.at_level(0).error_estimate(x).trust == Trust::unchecked);

  const auto failing = exact_function<2>(1, [&](const Point<2>& at, auto value, auto J) {
    const Point<2> cells = 2 * at / edge;
    if ((cells - cells.array().round().matrix()).norm() > 1e-9) throw std::runtime_error("no corner");
    value[0] = std::cos(8 * at[0]);
    J << -8 * std::sin(8 * at[0]), 0;
  });
  const AdaptiveGrid<2> silent = fresh(failing);
  silent.at_tolerance(1e-3).evaluate(x, y);
  CHECK(silent.at_level(0).error_estimate(x).trust == Trust::unchecked);

  Eigen::MatrixXd inside(2, 20), face(2, 20);
  for (int i = 0; i < 20; ++i) {
    inside.col(i) << 0.07 * i, 0.3;
    face.col(i) << 0.07 * i, 0;
  }
  for (const int level : {0, 1}) {
    const AdaptiveGrid<2> seen = fresh(wave_of(8 << level)), unseen = fresh(wave_of(8 << level));
    for (const AdaptiveGrid<2>* grid : {&seen, &unseen}) {
      grid->at_level(level).prefetch(inside);
      grid->at_level(level + 1).prefetch(inside);
    }
    CAPTURE(level);
    CHECK(seen.at_level(level).error_along(inside).error > 0.5);
    CHECK(unseen.at_level(level).error_along(face).trust == Trust::unchecked);
  }
}

TEST_CASE("smooth functions cost at most two calls more in a hundred for it") {
  PeriodicTally tally;
  std::size_t corners = 0;
  for (int draw = 0; draw < draws_wanted(60); ++draw) {
    DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
    const auto of_dim = [&](auto dim) {
      const DrawnRow<dim> row = drawn_row<dim>(draw % 2 == 0 ? "waves" : "peaks", random);
      const AdaptiveGrid<dim> grid(function_of_row(row), {.tolerance = std::exp(drawn(random, -11, -5))});
      Eigen::VectorXd y;
      for (int i = 0; i < 100; ++i) {
        const double s = 2 * std::numbers::pi * i / 100;
        grid.evaluate(Point<dim>::NullaryExpr([&](Eigen::Index j) { return std::sin((1 + double(j)) * s + 1); }), y);
      }
      CHECK(grid.doubts().unseen == 0);
      tally.calls += grid.statistics().exact_evaluations;
      corners += grid.statistics().corners;
    };
    if (draw % 3 == 0) of_dim(std::integral_constant<int, 1>());
    if (draw % 3 == 1) of_dim(std::integral_constant<int, 2>());
    if (draw % 3 == 2) of_dim(std::integral_constant<int, 3>());
  }
  CHECK(tally.calls > corners);
  CHECK(static_cast<double>(tally.calls) <= 1.02 * static_cast<double>(corners));
}

TEST_CASE("what was unseen is told, with its size, and level mode says no error that it does not have") {
  const double turn = 2 * std::numbers::pi;
  for (const int harmonic : {8, 16, 24}) {
    CAPTURE(harmonic);
    const auto f = exact_function<1>(1, [harmonic](const Point<1>& x, auto y, auto J) {
      y[0] = std::cos(harmonic * x[0]);
      J(0, 0) = -harmonic * std::sin(harmonic * x[0]);
    });
    const AdaptiveGrid<1> grid(f, {.spacing = Point<1>(turn / 4), .tolerance = 1e-3});
    Eigen::MatrixXd X(1, 100);
    for (int i = 0; i < 100; ++i) X(0, i) = turn * (i + 0.3) / 100;
    Eigen::VectorXd y;
    for (int i = 0; i < 100; ++i) {
      const Answer answer = grid.evaluate(Point<1>(X(0, i)), y);
      CHECK(std::abs(y[0] - std::cos(harmonic * X(0, i))) <= 1e-3);
      CHECK(grid.error_estimate(Point<1>(X(0, i))).error == answer.error);
    }
    const FunctionDoubts doubts = grid.statistics().doubts;
    CHECK(grid.doubtful());
    CHECK(doubts.unseen > 0.5);
    CHECK_THAT(doubts.message, Catch::StartsWith("f is off by ") && Catch::Contains("another spacing"));

    const AdaptiveGrid<1> levels(f, {.spacing = Point<1>(turn / 4)});
    for (const int level : {1, 2}) {
      CAPTURE(level);
      double largest = 0;
      for (int i = 0; i < 100; ++i) {
        levels.at_level(level).evaluate(Point<1>(X(0, i)), y);
        largest = std::max(largest, std::abs(y[0] - std::cos(harmonic * X(0, i))));
      }
      CHECK(levels.at_level(level).error_along(X).error > largest / 4);
    }
    if (harmonic == 16) {
      CHECK(levels.doubts().unseen > 0.5);
      CHECK(levels.at_level(1).error_estimate(Point<1>(0.1)).trust == Trust::unchecked);
    }
  }
}
