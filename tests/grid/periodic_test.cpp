// SPDX-License-Identifier: BSD-3-Clause
// What has the period of a cell's edge, or of a part of it, is the same at all corners and centres: it is seen all the
// same, told, and resolved; and functions without cost hardly a call more.
#include "quoin/quoin.hpp"
#include "support/drawn.hpp"
#include "support/drawn_rows.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Waves of one period along one axis, along the sum of all, or their product.
template <int Dim>
DrawnRow<Dim> drawn_harmonic(const std::string& kind, DrawingRandom& random) {
  const double k = 2 * std::numbers::pi * (1 + drawn_index(random, 4));
  const int axis = drawn_index(random, Dim);
  return [=](const Point<Dim>& x, Point<Dim>& gradient) {
    gradient.setZero();
    if (kind == "product") {
      double value = 1;
      for (int i = 0; i < Dim; ++i) value *= std::cos(k * x[i]);
      gradient.setConstant(-k);
      for (int i = 0; i < Dim; ++i)
        for (int j = 0; j < Dim; ++j) gradient[i] *= j == i ? std::sin(k * x[j]) : std::cos(k * x[j]);
      return value;
    }
    const bool diagonal = kind == "diagonal";
    const double s = k * (diagonal ? x.sum() : x[axis]);
    if (diagonal)
      gradient.setConstant(-k * std::sin(s));
    else
      gradient[axis] = -k * std::sin(s);
    return std::cos(s);
  };
}

template <int Dim>
auto function_of_row(const DrawnRow<Dim>& row) {
  return exact_function<Dim>(1, [row](const Point<Dim>& x, auto y, auto J) {
    Point<Dim> gradient;
    y[0] = row(x, gradient);
    J = gradient.transpose();
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
  for (const char* kind : {"one axis", "diagonal", "product"}) {
    PeriodicTally tally;
    for (int draw = 0; draw < draws_wanted(12); ++draw) {
      DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
      const auto of_dim = [&](auto dim) { ask_along_curve<dim>(drawn_harmonic<dim>(kind, random), random, tally); };
      if (draw % 3 == 0) of_dim(std::integral_constant<int, 1>());
      if (draw % 3 == 1) of_dim(std::integral_constant<int, 2>());
      if (draw % 3 == 2) of_dim(std::integral_constant<int, 3>());
    }
    CAPTURE(kind, tally.answers, tally.over, tally.above);
    CHECK(tally.over <= 0.02 * tally.answers);
    CHECK(tally.above <= 0.03 * tally.answers);
  }
}

TEST_CASE("a level estimates no error from corners that cannot tell f from what has the period of an edge") {
  SaidOfLevel periodic, looked_at, smooth;
  for (int draw = 0; draw < draws_wanted(60); ++draw) {
    DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
    const auto of_dim = [&](auto dim) {
      const int level = drawn_index(random, 2);
      for (const char* kind : {"one axis", "diagonal", "product"}) {
        const DrawnRow<dim> row = drawn_harmonic<dim>(kind, random);
        periodic.ask(AdaptiveGrid<dim>(function_of_row(row), GridOptions<dim>{}), row, level);
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
  CHECK(periodic.above <= 0.01 * periodic.answers);
  CHECK(smooth.unchecked == 0);
  CHECK(smooth.above <= 0.01 * smooth.answers);
  CHECK(looked_at.unchecked == 0);
  CHECK(looked_at.above == 0);
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
      grid->at_level(level).prepare(inside);
      grid->at_level(level + 1).prepare(inside);
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
