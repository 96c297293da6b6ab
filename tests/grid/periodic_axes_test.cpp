// SPDX-License-Identifier: BSD-3-Clause
// Axes along which f has a period: GridOptions::periodic.
#include "quoin/map/multi_index.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/quoin.hpp"
#include "quoin/util/errors.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

constexpr double turn = 2 * std::numbers::pi;

struct Drawing {
  std::mt19937_64& random;
  double operator()(double low, double high) const { return std::uniform_real_distribution<double>(low, high)(random); }
  int one_of(int count) const { return std::uniform_int_distribution<int>(0, count - 1)(random); }
};

/// A sum of waves of whole numbers a turn along the periodic axes, and of any along the others; its calls are counted,
/// and must lie in the first period.
template <int Dim, int K>
struct Waves {
  GridOptions<Dim> options;
  Eigen::MatrixXd along;  // Dim x waves
  Eigen::VectorXd phase;
  std::shared_ptr<std::size_t> calls = std::make_shared<std::size_t>(0);

  Waves(const Drawing& draw, const std::array<bool, std::size_t{Dim}>& periodic) : along(Dim, 3), phase(3) {
    options.periodic = periodic;
    options.deepest_level = 8;
    for (unsigned i = 0; i < Dim; ++i) {
      const int cells = 5 + draw.one_of(8);
      options.spacing[i] = periodic[i] ? turn / cells : 0.5;
      options.origin[i] = periodic[i] ? draw(-3, 3) : 0;
      options.lower[i] = periodic[i] ? options.origin[i] + options.spacing[i] * (draw.one_of(5) - 2) : -2;
      options.upper[i] = periodic[i] ? options.lower[i] + cells * options.spacing[i] : 2;
      for (int n = 0; n < 3; ++n) along(i, n) = periodic[i] ? draw.one_of(5) - 2 : draw(-1.5, 1.5);
    }
    for (int n = 0; n < 3; ++n) phase[n] = draw(0, turn);
  }

  auto function() const { return within(options); }
  auto anywhere() const { return within(without_bounds()); }
  GridOptions<Dim> without_bounds() const {
    GridOptions<Dim> free = options;
    for (unsigned i = 0; i < Dim; ++i) {
      if (!options.periodic[i]) continue;
      free.lower[i] = -std::numeric_limits<double>::infinity();
      free.upper[i] = std::numeric_limits<double>::infinity();
    }
    free.periodic = {};
    return free;
  }

  auto within(const GridOptions<Dim>& bounds) const {
    const auto jets = [*this, bounds](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      ++*calls;
      for (unsigned i = 0; i < Dim; ++i)
        if (x[i] < bounds.lower[i] - 1e-9 || x[i] > bounds.upper[i] - (bounds.periodic[i] ? 1e-9 : -1e-9))
          throw std::logic_error("called outside the first period");
      const auto orders = graded_multi_indices<Dim>(K);
      jet.setZero();
      for (int n = 0; n < 3; ++n)
        for (std::size_t a = 0; a < orders.size(); ++a) {
          double factor = 1;
          int order = 0;
          for (unsigned i = 0; i < Dim; ++i)
            for (int k = 0; k < orders[a][i]; ++k, ++order) factor *= along(i, n);
          const double angle = along.col(n).dot(x) + phase[n] + order * std::numbers::pi / 2;
          jet(0, static_cast<Eigen::Index>(a)) += factor * std::sin(angle);
          jet(1, static_cast<Eigen::Index>(a)) += factor * std::cos(angle) / (1 + n);
        }
    };
    if constexpr (K == 0)
      return exact_function_without_derivatives<Dim>(2, [jets](const Point<Dim>& x, auto y) { jets(x, y); });
    else
      return exact_jet<Dim, K>(2, jets);
  }

  Point<Dim> place(const Drawing& draw) const {
    Point<Dim> x;
    for (unsigned i = 0; i < Dim; ++i) x[i] = options.lower[i] + draw(0, 1) * (options.upper[i] - options.lower[i]);
    return x;
  }
  Point<Dim> turned(const Drawing& draw, Point<Dim> x) const {
    for (unsigned i = 0; i < Dim; ++i)
      if (options.periodic[i]) x[i] += turn * (draw.one_of(9) - 4);
    return x;
  }
};

struct Answered {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  template <class Map, class P>
  Answered(const Map& map, const P& x) {
    map.evaluate(x, y, J);
  }
  double off(const Answered& other) const {
    return std::max((y - other.y).cwiseAbs().maxCoeff(), (J - other.J).cwiseAbs().maxCoeff());
  }
};

template <int Dim, int K>
void ask_drawn(std::mt19937_64& random) {
  const Drawing draw{random};
  std::array<bool, std::size_t{Dim}> periodic{};
  do
    for (bool& along : periodic) along = draw.one_of(2) == 1;
  while (periodic == std::array<bool, std::size_t{Dim}>{});
  const Waves<Dim, K> waves(draw, periodic);
  const AdaptiveGrid<Dim> grid(waves.function(), waves.options);
  GridView<Dim> view = grid.at_level(draw.one_of(2));
  if (draw.one_of(2)) view = grid.at_tolerance(std::pow(10, draw(-3, -1)));
  GridView<Dim> unbounded = AdaptiveGrid<Dim>(waves.anywhere(), waves.without_bounds()).at_resolution_of(view);
  if (draw.one_of(3) == 0) {
    view = view.linear_output(Eigen::MatrixXd::Ones(2, 2));
    unbounded = unbounded.linear_output(Eigen::MatrixXd::Ones(2, 2));
  }
  CAPTURE(Dim, K, view.level(), view.tolerance().value_or(0));

  // The same at all turns.
  for (int k = 0; k < 20; ++k) {
    const Point<Dim> x = waves.place(draw);
    const Answered here(view, x);
    const std::size_t before = *waves.calls;
    CHECK(here.off(Answered(view, waves.turned(draw, x))) < 1e-9);
    CHECK(*waves.calls == before);
    // As one without bounds there, also on the cells that meet at the seam.
    Point<Dim> beside = x;
    for (unsigned i = 0; i < Dim; ++i)
      if (periodic[i]) beside[i] = waves.options.upper[i] + draw(-0.1, 0.1);
    const double off = Answered(view, beside).off(Answered(unbounded, beside));
    CHECK(off < (view.tolerance() ? 20 * *view.tolerance() : 1e-9));
  }
  // A whole period, wherever it begins, is a table of all turns; so is a frozen view of it.
  Point<Dim> lower = waves.options.lower, upper = waves.options.upper;
  for (unsigned i = 0; i < Dim; ++i)
    if (periodic[i]) {
      lower[i] += draw.one_of(2) * draw(-20, 20);
      upper[i] = lower[i] + turn;
    }
  view.fill(lower, upper);
  const std::size_t filled = *waves.calls;
  const FrozenView<Dim> frozen = view.frozen();
  for (int k = 0; k < 50; ++k) {
    const Point<Dim> x = waves.turned(draw, waves.place(draw));
    const Answered answered(view, x);
    CHECK(answered.off(Answered(frozen, x)) == 0);
  }
  CHECK(*waves.calls == filled);
}

}  // namespace

TEST_CASE("periodic axes answer alike at all turns, across the seam, as a table and frozen") {
  std::mt19937_64 random(seed_wanted() + 7);
  for (int draws = draws_wanted(6); draws > 0; --draws) {
    ask_drawn<1, 0>(random);
    ask_drawn<1, 1>(random);
    ask_drawn<1, 2>(random);
    ask_drawn<2, 0>(random);
    ask_drawn<2, 1>(random);
    ask_drawn<2, 2>(random);
    ask_drawn<3, 1>(random);
  }
}

TEST_CASE("a periodic axis answers as one without bounds, over four turns by 16 calls in place of 65") {
  GridOptions<1> options;
  options.spacing[0] = turn / 16;
  const auto calls = std::make_shared<int>(0);
  const auto f = exact_function<1>(1, [calls](const Point<1>& x, auto y, auto J) {
    ++*calls;
    y[0] = std::sin(x[0]);
    J(0, 0) = std::cos(x[0]);
  });
  const AdaptiveGrid<1> unbounded(f, options);
  options.lower[0] = 0;
  options.upper[0] = turn;
  options.periodic[0] = true;
  const AdaptiveGrid<1> grid(f, options);
  const Eigen::MatrixXd X = Eigen::RowVectorXd::LinSpaced(500, 0, 4 * turn * (1 - 1e-12));
  Eigen::MatrixXd Y, all;
  grid.evaluate_batch(X, Y);
  CHECK(*calls == 16);
  unbounded.evaluate_batch(X, all);
  CHECK(*calls == 16 + 65);
  CHECK((Y - all).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("differences of values are central across the seam") {
  GridOptions<1> options;
  options.spacing[0] = turn / 16;
  options.lower[0] = 0;
  options.upper[0] = turn;
  options.periodic[0] = true;
  const auto calls = std::make_shared<int>(0);
  const AdaptiveGrid<1> grid(exact_function_without_derivatives<1>(1,
                                                                   [calls](const Point<1>& x, auto y) {
                                                                     ++*calls;
                                                                     y[0] = std::sin(x[0]);
                                                                   }),
                             options);
  for (double x = -20; x < 20; x += 0.37) {
    const Answered answered(grid, Point<1>(x));
    CHECK(std::abs(answered.y[0] - std::sin(x)) < 3e-4);
    CHECK(std::abs(answered.J(0, 0) - std::cos(x)) < 3e-3);
  }
  CHECK(*calls == 16);
}

TEST_CASE("beside the seam the cell on its other side answers where one fails, and other axes keep their policy") {
  GridOptions<2> options;
  options.spacing << 0.25, 0.5;
  options.lower << 0, -1;
  options.upper << 1, 1;
  options.periodic = {true, false};
  options.outside = OutsidePolicy::clamp;
  const AdaptiveGrid<2> grid(exact_function<2>(1,
                                               [](const Point<2>& x, auto y, auto J) {
                                                 if (x[0] > 0.1 && x[0] < 0.3)
                                                   throw CornerFailure("in the first cells");
                                                 y[0] = std::cos(2 * std::numbers::pi * x[0]) + x[1];
                                                 J << -2 * std::numbers::pi * std::sin(2 * std::numbers::pi * x[0]), 1;
                                               }),
                             options);
  Eigen::VectorXd y;
  for (const double seam : {0.0, 1.0, -3.0}) {
    grid.evaluate(Point<2>(seam, 0.2), y);
    CHECK(y[0] == Approx(1.2));
  }
  CHECK(grid.try_evaluate(Point<2>(1.1, 0.2), y).trust == Trust::failed);
  CHECK(grid.try_evaluate(Point<2>(-0.1, 2), y).trust == Trust::extended);
  CHECK(y[0] == Approx(std::cos(0.2 * std::numbers::pi) + 1).margin(2e-2));
  CHECK(grid.try_evaluate(Point<2>(std::numeric_limits<double>::quiet_NaN(), 0), y).trust == Trust::outside);
  CHECK(grid.try_evaluate(Point<2>(std::numeric_limits<double>::infinity(), 0), y).trust == Trust::outside);
}

TEST_CASE("a point outside is told by an axis that has a bound") {
  GridOptions<2> options;
  options.spacing.setConstant(0.25);
  options.lower.setZero();
  options.upper.setOnes();
  options.periodic = {true, false};
  const AdaptiveGrid<2> grid(exact_function<2>(1,
                                               [](const Point<2>&, auto y, auto J) {
                                                 y.setZero();
                                                 J.setZero();
                                               }),
                             options);
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(grid.evaluate(Point<2>(-0.3, 5), y), Catch::Contains("x[1] = 5 is above"));
}

TEST_CASE("samples at the upper bound of a period are those at the lower one") {
  GridOptions<1> options;
  options.spacing[0] = 0.25;
  options.lower[0] = 0;
  options.upper[0] = 1;
  options.periodic[0] = true;
  Samples<1> samples;
  samples.jet_order = 1;
  samples.resize(1, 2);
  samples.points << 1, 0.25;
  samples.jet(0) << 1, 0;
  samples.jet(1) << 0, -turn;
  const AdaptiveGrid<1> grid(samples, options);
  Eigen::VectorXd y;
  grid.evaluate(Point<1>(3.0), y);
  CHECK(y[0] == 1);
  CHECK(grid.nearest_corner(Point<1>(0.99))[0] == 0);
  CHECK(grid.try_evaluate(Point<1>(0.9), y).trust == Trust::failed);
}

TEST_CASE("a period has two bounds and two cells at least") {
  GridOptions<1> options;
  options.periodic[0] = true;
  const auto f = exact_function<1>(1, [](const Point<1>& x, auto y, auto J) {
    y[0] = x[0];
    J(0, 0) = 1;
  });
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, options), Catch::Contains("periodic[0]: the period is upper - lower"));
  options.lower[0] = 0;
  options.upper[0] = 1;
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, options), Catch::Contains("at least two cells"));
}
