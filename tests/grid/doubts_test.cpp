// SPDX-License-Identifier: BSD-3-Clause
// What a grid says of its function: Jacobians that are not those of the values, and values that are not smooth, are
// told early; functions with kinks, jumps, layers and fast waves whose Jacobian is their own are not accused.
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/drawn_rows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

template <int Dim>
std::vector<Point<Dim>> drawn_queries(DrawingRandom& random) {
  const Point<Dim> centre = Point<Dim>::NullaryExpr([&] { return drawn(random, -1.5, 1.5); });
  const Point<Dim> first = drawn_direction<Dim>(random), second = drawn_direction<Dim>(random);
  const int kind = drawn_index(random, 3);
  std::vector<Point<Dim>> queries(200);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double s = static_cast<double>(i) / 200, angle = 2 * std::numbers::pi * s;
    if (kind == 0) queries[i] = centre + 0.7 * std::cos(angle) * first + 0.7 * std::sin(2 * angle) * second;
    if (kind == 1) queries[i] = Point<Dim>::NullaryExpr([&] { return drawn(random, -2, 2); });
    if (kind == 2) queries[i] = centre + s * first;
  }
  return queries;
}

/// A function, the tolerance that it is asked to, and the points.
template <int Dim>
struct DrawnTask {
  DrawnTask(const std::string& family, DrawingRandom& random, double lowest = 1e-6, double highest = 0.03)
      : f(family, 1 + drawn_index(random, 6), random) {
    if (drawn_index(random, 2) == 0) f.in_one_unit();
    if (drawn_index(random, 2) == 0) options.output_weights = f.weights();
    const double unit = options.output_weights.size() > 0 ? 1 : f.units().norm() / std::sqrt(double(f.outputs()));
    options.tolerance = unit * std::exp(drawn(random, std::log(lowest), std::log(highest)));
    queries = drawn_queries<Dim>(random);
  }

  /// Calls of f after each query.
  std::vector<std::size_t> calls() const {
    AdaptiveGrid<Dim> grid(exact_function<Dim>(f.outputs(), f), options);
    std::vector<std::size_t> calls;
    Eigen::VectorXd y;
    for (const Point<Dim>& x : queries) {
      grid.evaluate(x, y);
      calls.push_back(grid.statistics().exact_evaluations);
    }
    return calls;
  }

  DrawnFunction<Dim> f;
  GridOptions<Dim> options;
  std::vector<Point<Dim>> queries;
};

/// What a grid has said by the time that it had called f so often, and when.
struct Said {
  FunctionDoubts doubts;
  std::size_t calls = 0;
};

template <int Dim, class Enough>
Said ask(const DrawnTask<Dim>& task, const Enough& enough) {
  AdaptiveGrid<Dim> grid(exact_function<Dim>(task.f.outputs(), task.f), task.options);
  Eigen::VectorXd y;
  Said said;
  for (std::size_t i = 0; i < task.queries.size() && !grid.doubtful(); ++i) {
    grid.evaluate(task.queries[i], y);
    said.calls = grid.statistics().exact_evaluations;
    if (enough(i, said.calls)) break;
  }
  said.doubts = grid.doubts();
  CHECK(grid.doubtful() == !said.doubts.message.empty());
  return said;
}

/// Calls visit(a std::integral_constant) with 1 to 4.
template <class Visit>
void with_dim(int dim, const Visit& visit) {
  if (dim == 1) visit(std::integral_constant<int, 1>());
  if (dim == 2) visit(std::integral_constant<int, 2>());
  if (dim == 3) visit(std::integral_constant<int, 3>());
  if (dim == 4) visit(std::integral_constant<int, 4>());
}

std::string smooth_family(int draw) { return std::vector<std::string>{"waves", "peaks", "ridge"}[draw % 3u]; }

}  // namespace

TEST_CASE("of functions whose Jacobian is their own nothing is said, whatever kinks, jumps and fast waves they have") {
  const int draws = draws_wanted(60);
  int accused = 0, asked = 0;
  for (const std::string& family : right_families())
    for (int draw = 0; draw < draws; ++draw)
      with_dim(1 + draw % 4, [&](auto dim) {
        DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
        const DrawnTask<dim> task(family, random);
        const Said said = ask(task, [](std::size_t, std::size_t calls) { return calls > 400; });
        UNSCOPED_INFO(family << " " << said.doubts.message);
        ++asked;
        accused += !said.doubts.message.empty();
      });
  CHECK(accused <= 0.005 * asked);
}

TEST_CASE("between levels nothing is said of such functions either, where cells are shorter than their waves") {
  int accused = 0, asked = 0;
  const std::vector<std::string> waving = {"narrow waves", "fast wave", "symmetric", "periodic",
                                           "ripple",       "staircase", "mixed"};
  for (const std::string& family : right_families()) {
    if (std::find(waving.begin(), waving.end(), family) != waving.end()) continue;
    for (int draw = 0; draw < draws_wanted(30); ++draw)
      with_dim(1 + draw % 4, [&](auto dim) {
        DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
        const DrawnTask<dim> task(family, random);
        const AdaptiveGrid<dim> grid(exact_function<dim>(task.f.outputs(), task.f), task.options);
        Eigen::VectorXd y;
        for (const int level : {0, 1, 2, 3})
          for (std::size_t i = 0; i < 50; ++i) grid.at_level(level).evaluate(task.queries[4 * i], y);
        UNSCOPED_INFO(family << " " << grid.doubts().message);
        ++asked;
        accused += grid.doubtful();
      });
  }
  CHECK(accused <= 0.005 * asked);
}

TEST_CASE("a Jacobian that is not that of the values is told within 100 calls, or as soon as it costs calls") {
  const int draws = draws_wanted(60);
  int costly = 0, told = 0;
  for (const std::string& way : wrong_jacobians())
    for (int draw = 0; draw < draws; ++draw)
      with_dim(1 + draw % 4, [&](auto dim) {
        DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
        DrawnTask<dim> task(smooth_family(draw / 4), random);
        if (way == "transposed" && task.f.outputs() == 1) return;
        if (way == "transposed" && dim == 1) return;
        const std::vector<std::size_t> right = task.calls();
        task.f.spoil(way, random);
        std::size_t at = 0;  // where it has cost half as many calls again
        const Said said = ask(task, [&](std::size_t i, std::size_t calls) {
          if (at == 0 && 2 * calls > 3 * right[i] + 20) at = calls;
          return at > 0 && calls >= std::max<std::size_t>(at, 100);
        });
        if (at == 0) return;
        ++costly;
        told += said.doubts.output >= 0;
        UNSCOPED_INFO(way << ", d = " << dim << ", " << said.calls << " calls: " << said.doubts.message);
      });
  CHECK(costly > 2 * draws);
  CHECK(told >= 0.95 * costly);
}

TEST_CASE("values that are rounded, or scatter, are told where that costs calls") {
  const int draws = draws_wanted(120);
  int costly = 0, told = 0, wrong = 0;
  for (int draw = 0; draw < draws; ++draw)
    with_dim(1 + draw % 4, [&](auto dim) {
      DrawingRandom random(1000 * seed_wanted() + static_cast<unsigned>(draw));
      const double size = std::pow(10., -3. - draw % 9);
      DrawnTask<dim> task(smooth_family(draw / 4), random, size / 30, size);
      const std::vector<std::size_t> right = task.calls();
      task.f.roughen(size, drawn_index(random, 2) == 0);
      std::size_t at = 0;
      const Said said = ask(task, [&](std::size_t i, std::size_t calls) {
        if (at == 0 && calls > 2 * right[i] + 50) at = calls;
        return at > 0 && calls >= std::max<std::size_t>(2 * at, 400);
      });
      wrong += said.doubts.output >= 0;
      const bool rough = said.doubts.rough_output >= 0;
      costly += at > 0 || rough;
      told += rough;
      if (!rough) return;
      const double scatter = size * task.f.units()[said.doubts.rough_output];
      CHECK(said.doubts.rough_below < 3 * scatter);
      CHECK(said.doubts.rough_below > scatter / 20);
    });
  CHECK(costly > draws / 2);
  CHECK(told >= 0.95 * costly);
  CHECK(wrong <= 0.01 * draws);
}

TEST_CASE("the doubts name the entry, and how far it is off; statistics have them") {
  const auto with_sign = [](double sign) {
    return exact_function<2>(2, [sign](const Point<2>& x, auto y, auto J) {
      y[0] = std::sin(x[0] + x[1] / 2);
      y[1] = std::cos(x[0] * x[1] / 2);
      J(0, 0) = std::cos(x[0] + x[1] / 2);
      J(0, 1) = J(0, 0) / 2;
      J(1, 0) = -x[1] / 2 * std::sin(x[0] * x[1] / 2);
      J(1, 1) = sign * -x[0] / 2 * std::sin(x[0] * x[1] / 2);
    });
  };
  Eigen::VectorXd y;
  const auto go_round = [&y](const GridView<2>& view) {
    for (int i = 0; i < 50; ++i) view.evaluate(Point<2>(1.5 * std::cos(0.13 * i), 1.3 * std::sin(0.26 * i)), y);
  };
  for (const bool with_tolerance : {true, false}) {
    CAPTURE(with_tolerance);
    for (const double sign : {1., -1., 180 / std::numbers::pi}) {
      const AdaptiveGrid<2> grid(with_sign(sign));
      const GridView<2> functional = grid.linear_output(Eigen::RowVector2d(1, 2));
      for (const GridView<2>& view : {GridView<2>(grid.at_level(0)), functional}) {
        if (with_tolerance) {
          go_round(view.at_tolerance(1e-4));
        } else {
          for (const int level : {0, 1, 2, 3}) go_round(view.at_level(level));
        }
        const FunctionDoubts doubts = grid.statistics().doubts;
        CHECK(doubts.message == view.doubts().message);
        if (sign == 1) {
          CHECK_FALSE(view.doubtful());
          CHECK(doubts.message.empty());
          CHECK(doubts.output == -1);
          continue;
        }
        CHECK(doubts.output == 1);
        CHECK(doubts.axis == 1);
        CHECK(doubts.factor == Approx(1 / sign).margin(0.05));
        CHECK_THAT(doubts.message, Catch::StartsWith("values and Jacobian of f disagree in J(1, 1) (they change by "));
      }
    }
  }
  const AdaptiveGrid<2> grid(with_sign(-1));
  go_round(grid.linear_output(Eigen::RowVector2d(1, 2)).at_tolerance(1e-3));  // f itself is not asked
  CHECK(grid.doubts().output == -1);                                          // and the functional is gone
}
