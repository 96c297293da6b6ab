// SPDX-License-Identifier: BSD-3-Clause
// Where only a part of a function has the period of a cell's edge: elsewhere in space, one output, or below a tolerance
// that was asked before.
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/drawn_harmonic.hpp"
#include "testing/drawn_rows.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>

using namespace quoin;
using namespace quoin::test;

namespace {

struct PartTally {
  int answers = 0, over = 0, above = 0;
};

/// Of draws in one, two and three variables in turn, what `ask(dim, random)` adds to a tally.
template <class Ask>
void in_one_to_three(int draws, const Ask& ask) {
  for (int draw = 0; draw < draws_wanted(draws); ++draw) {
    DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
    if (draw % 3 == 0) ask(std::integral_constant<int, 1>(), random);
    if (draw % 3 == 1) ask(std::integral_constant<int, 2>(), random);
    if (draw % 3 == 2) ask(std::integral_constant<int, 3>(), random);
  }
}

template <int Dim>
Point<Dim> drawn_place(DrawingRandom& random, double low, double high) {
  return Point<Dim>::NullaryExpr([&](Eigen::Index) { return drawn(random, low, high); });
}

/// Answers at a draw of points with a first coordinate in a range.
template <int Dim, class View>
void ask_beside(const View& view, const DrawnRow<Dim>& row, double low, double high, DrawingRandom& random,
                PartTally& tally) {
  Eigen::VectorXd y;
  Point<Dim> gradient;
  for (int i = 0; i < 50; ++i) {
    Point<Dim> x = drawn_place<Dim>(random, -8, 8);
    x[0] = drawn(random, low, high);
    const Answer answer = view.evaluate(x, y);
    const double error = std::abs(y[0] - row(x, gradient));
    ++tally.answers;
    tally.over += error > *view.tolerance();
    tally.above += error > answer.error;
  }
}

}  // namespace

TEST_CASE("cells in which f is zero or constant, asked before, hide no wave with the period of an edge elsewhere") {
  for (const std::string shape : {"cosine", "raised"}) {
    for (const char* kind : periodic_kinds) {
      PartTally tally;
      in_one_to_three(24, [&](auto dim, DrawingRandom& random) {
        const DrawnRow<dim> wave = drawn_harmonic<dim>(shape, kind, random);
        const double border = drawn_index(random, 5) - 2, constant = shape == "cosine" ? 0 : drawn_index(random, 2);
        const DrawnRow<dim> half = [&](const Point<dim>& x, Point<dim>& gradient) {
          gradient.setZero();
          return constant + (x[0] <= border ? 0 : wave(x, gradient));
        };
        const AdaptiveGrid<dim> grid(function_of_row(half), {.tolerance = 1e-3});
        PartTally of_constant;
        for (int i = drawn_index(random, 4); i > 0; --i)
          ask_beside(grid, half, border - 9, border - 0.1, random, of_constant);
        ask_beside(grid, half, border + 1.1, border + 9, random, tally);
      });
      CAPTURE(shape, kind, tally.answers, tally.over, tally.above);
      CHECK(tally.over <= 0.02 * tally.answers);
      CHECK(tally.above <= 0.03 * tally.answers);
    }
  }
}

TEST_CASE("what a coarse tolerance may overlook, a finer one on the same grid does not") {
  PartTally tally;
  int told_early = 0;
  in_one_to_three(30, [&](auto dim, DrawingRandom& random) {
    const DrawnRow<dim> wave =
        drawn_harmonic<dim>(periodic_shapes[drawn_index(random, 2)], periodic_kinds[drawn_index(random, 3)], random);
    const AdaptiveGrid<dim> grid(function_of_row(wave));
    const bool there = drawn_index(random, 2) == 0;  // before the coarse one was asked
    GridView<dim> fine = grid.at_tolerance(there ? 1e-3 : 200);
    PartTally of_coarse;
    ask_beside(grid.at_tolerance(100), wave, -8, 8, random, of_coarse);
    told_early += !there && grid.doubts().unseen > 0;
    if (!there) fine = grid.at_tolerance(1e-3);
    ask_beside(fine, wave, -8, 8, random, tally);
  });
  CHECK(told_early == 0);
  CAPTURE(tally.answers, tally.over, tally.above);
  CHECK(tally.over <= 0.02 * tally.answers);
  CHECK(tally.above <= 0.03 * tally.answers);
}

TEST_CASE("coarse tolerances, asked first, make smooth functions cost no more") {
  std::size_t calls = 0, corners = 0;
  in_one_to_three(60, [&](auto dim, DrawingRandom& random) {
    const DrawnRow<dim> row = drawn_row<dim>(drawn_index(random, 2) == 0 ? "waves" : "peaks", random);
    const AdaptiveGrid<dim> grid(function_of_row(row));
    for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
      PartTally tally;
      for (int i = 0; i < 4; ++i) ask_beside(grid.at_tolerance(tolerance), row, -2, 2, random, tally);
    }
    CHECK(grid.doubts().unseen == 0);
    calls += grid.statistics().exact_evaluations;
    corners += grid.statistics().corners;
  });
  CHECK(static_cast<double>(calls) <= 1.02 * static_cast<double>(corners));
}

TEST_CASE("one output with the period of an edge is met among smooth ones") {
  for (const std::string shape : {"cosine", "raised"}) {
    PartTally tally;
    in_one_to_three(30, [&](auto dim, DrawingRandom& random) {
      const int outputs = 2 + drawn_index(random, 4), periodic = drawn_index(random, outputs);
      std::vector<DrawnRow<dim>> rows;
      for (int i = 0; i < outputs; ++i)
        rows.push_back(i == periodic ? drawn_harmonic<dim>(shape, periodic_kinds[drawn_index(random, 3)], random)
                                     : drawn_row<dim>("waves", random));
      const auto f = exact_function<dim>(outputs, [&](const Point<dim>& x, auto y, auto J) {
        for (int i = 0; i < outputs; ++i) {
          Point<dim> gradient;
          y[i] = rows[static_cast<std::size_t>(i)](x, gradient);
          J.row(i) = gradient.transpose();
        }
      });
      const double tolerance = std::exp(drawn(random, std::log(1e-4), std::log(1e-2)));
      const AdaptiveGrid<dim> grid(f, {.tolerance = tolerance});
      Eigen::VectorXd y;
      for (int i = 0; i < 50; ++i) {
        const Point<dim> x = drawn_place<dim>(random, -1.5, 1.5);
        const Answer answer = grid.evaluate(x, y);
        Point<dim> gradient;
        const double error =
            std::abs(y[periodic] - rows[static_cast<std::size_t>(periodic)](x, gradient)) / std::sqrt(outputs);
        ++tally.answers;
        tally.over += error > tolerance;
        tally.above += error > answer.error;
      }
    });
    CAPTURE(shape, tally.answers, tally.over, tally.above);
    CHECK(tally.over <= 0.02 * tally.answers);
    CHECK(tally.above <= 0.03 * tally.answers);
  }
}

TEST_CASE("error_along meets the period of any part of an edge") {
  int said_less = 0;
  for (int periods = 1; periods <= 8; ++periods) {
    for (const int level : {0, 1}) {
      const double k = 2 * std::numbers::pi * periods * (1 << level);
      const auto f = exact_function<1>(1, [k](const Point<1>& x, auto y, auto J) {
        y[0] = std::cos(k * x[0]);
        J(0, 0) = -k * std::sin(k * x[0]);
      });
      for (int draw = 0; draw < draws_wanted(20); ++draw) {
        DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
        const AdaptiveGrid<1> grid(f);
        const Eigen::MatrixXd X =
            Eigen::MatrixXd::NullaryExpr(1, 100, [&](auto, auto) { return drawn(random, -2, 2); });
        said_less += grid.at_level(level).error_along(X).error < 0.1;
      }
    }
  }
  CHECK(said_less <= 0.04 * 16 * draws_wanted(20));
}

TEST_CASE("that f is constant in one region vouches for no other") {
  const auto f = exact_function<2>(1, [](const Point<2>& x, auto y, auto J) {
    const double k = 4 * std::numbers::pi;
    y[0] = x[0] <= 20 ? 1 : std::cos(k * x[0]);
    J << (x[0] <= 20 ? 0 : -k * std::sin(k * x[0])), 0;
  });
  const AdaptiveGrid<2> grid(f, {.tolerance = 1e-3});
  Eigen::VectorXd y;
  grid.evaluate(Point<2>(1.3, 0.4), y);
  const GridView<2> level = grid.at_level(0);
  for (const double at : {1.3, 31.3}) {
    CAPTURE(at);
    level.evaluate(Point<2>(at, 0.4), y);
    level.at_level(1).evaluate(Point<2>(at - 0.3 + 0.5, 0.5), y);
    CHECK(level.error_estimate(Point<2>(at, 0.4)).trust == (at < 20 ? Trust::estimated : Trust::unchecked));
  }
}
