// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// A scalar function of Dim variables from its value and gradient, counting its calls.
template <int Dim, class Value, class Gradient>
auto scalar(const Calls& calls, Value value, Gradient gradient, FunctionTraits traits = {}) {
  return exact_function<Dim>(
      1,
      [=](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        y[0] = value(x);
        J.row(0) = gradient(x).transpose();
      },
      traits);
}

template <int Dim, class Map, class Exact>
double worst_error(const Map& map, const Exact& exact, const std::vector<Point<Dim>>& points) {
  double worst = 0;
  Eigen::VectorXd y;
  for (const Point<Dim>& x : points) {
    map.evaluate(x, y);
    const Eigen::VectorXd error = y - exact(x);
    worst = std::max(worst, error.norm() / std::sqrt(static_cast<double>(error.size())));
  }
  return worst;
}

template <int Dim, class F>
void meets_tolerances(const F& f, const Waves<Dim>& waves) {
  const AdaptiveGrid<Dim> grid(f);
  const auto points = random_points<Dim>(300, Point<Dim>::Constant(-1.2), Point<Dim>::Constant(1.3), 3);
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    CAPTURE(Dim, tolerance);
    const auto view = grid.at_tolerance(tolerance);
    CHECK(worst_error<Dim>(
              view, [&](const Point<Dim>& x) { return waves.value(x); }, points) <= 1.1 * tolerance);
    Eigen::VectorXd y;
    for (const Point<Dim>& x : points) {
      const Answer answer = view.evaluate(x, y);
      REQUIRE(answer.trust == Trust::estimated);
      REQUIRE(answer.error <= tolerance);
      REQUIRE(answer.error > 0);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("a grid to a tolerance meets it on smooth waves, with every kind of sample", "",
                       ((int Dim), Dim), 1, 2, 3, 4) {
  const Waves<Dim> waves(3, 1.5);
  meets_tolerances<Dim>(waves.template jet<1>(), waves);
  meets_tolerances<Dim>(waves.template jet<2>(), waves);
  meets_tolerances<Dim>(waves.template jet<3>(), waves);
  if constexpr (Dim <= 2)
    meets_tolerances<Dim>(exact_function_without_derivatives<Dim>(
                              3, [waves](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(x); }),
                          waves);
}

TEST_CASE("functions that look constant to the corners of a cell are not accepted on them") {
  GridOptions<2> options;  // the cell [-1, 1]^2
  options.origin = Point<2>(-1, -1);
  options.spacing = Point<2>(2, 2);
  const auto points = random_points<2>(200, Point<2>(-1, -1), Point<2>(1, 1), 5);
  const auto check = [&](auto value, auto gradient) {
    const Calls calls = new_calls();
    const AdaptiveGrid<2> grid(scalar<2>(calls, value, gradient), options);
    Eigen::VectorXd y;
    grid.evaluate(Point<2>(0, 0), y);
    CHECK(std::abs(y[0] - value(Point<2>(0, 0))) > 0.1);  // one cell at level 0 is wrong
    const auto exact = [&](const Point<2>& x) { return Eigen::VectorXd::Constant(1, value(x)); };
    CHECK(worst_error<2>(grid.at_tolerance(1e-3), exact, points) <= 1e-3);
  };
  check([](const Point<2>& x) { return x[0] * x[0] * x[1] * x[1]; },
        [](const Point<2>& x) { return Point<2>(2 * x[0] * x[1] * x[1], 2 * x[1] * x[0] * x[0]); });
  check([](const Point<2>& x) { return 2 * std::cos(1.5 * x[0]) * std::cos(1.5 * x[1]); },
        [](const Point<2>& x) {
          return Point<2>(-3 * std::sin(1.5 * x[0]) * std::cos(1.5 * x[1]),
                          -3 * std::cos(1.5 * x[0]) * std::sin(1.5 * x[1]));
        });
}

TEST_CASE("a bump wholly inside a cell can go unseen, and more generations of surpluses see it, at their price") {
  // Narrow, and away from corners and centre of the cell [0, 1]^2, but around the centre of one of its children.
  const double width = 0.01;
  const Point<2> centre(0.25, 0.75);
  const auto value = [&](const Point<2>& x) { return std::exp(-(x - centre).squaredNorm() / (2 * width * width)); };
  const auto gradient = [&](const Point<2>& x) -> Point<2> { return -value(x) / (width * width) * (x - centre); };
  const auto exact = [&](const Point<2>& x) { return Eigen::VectorXd::Constant(1, value(x)); };
  const std::vector<Point<2>> peak{centre, Point<2>(0.253, 0.747)};

  const Calls blind_calls = new_calls();
  const AdaptiveGrid<2> blind(scalar<2>(blind_calls, value, gradient), {.tolerance = 1e-3});
  CHECK(worst_error<2>(blind, exact, peak) > 0.9);
  CHECK(*blind_calls == 5 + 3);  // it looks constant, and three looks pass the bump by

  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(scalar<2>(calls, value, gradient), {.tolerance = 1e-3, .surplus_generations = 2});
  CHECK(worst_error<2>(grid, exact, peak) <= 1e-3);

  // The price where the function is constant: 4 corners, 1 centre, 4 centres of children; and 3 looks at places
  // between, as its period might be an edge.
  const Calls constant_calls = new_calls();
  const AdaptiveGrid<2> constant(
      scalar<2>(
          constant_calls, [](const Point<2>&) { return 1.0; }, [](const Point<2>&) { return Point<2>(0, 0); }),
      {.tolerance = 1e-3, .surplus_generations = 2});
  Eigen::VectorXd y;
  constant.evaluate(Point<2>(0.5, 0.5), y);
  CHECK(*constant_calls == 12);
  CHECK(constant.statistics().corners == 9);
}

TEST_CASE("a kink is refined where it is, and nowhere else") {
  const auto value = [](const Point<2>& x) { return std::abs(0.8 * x[0] + 0.6 * x[1] - 0.13); };
  const auto gradient = [](const Point<2>& x) -> Point<2> {
    return (0.8 * x[0] + 0.6 * x[1] < 0.13 ? -1 : 1) * Point<2>(0.8, 0.6);
  };
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(scalar<2>(calls, value, gradient), {.tolerance = 1e-3});
  const auto points = random_points<2>(4000, Point<2>(-2, -2), Point<2>(2, 2), 6);
  int over = 0;
  Eigen::VectorXd y;
  for (const Point<2>& x : points) {
    const Answer answer = grid.evaluate(x, y);
    over += std::abs(y[0] - value(x)) > 1e-3;
    if (value(x) > 1) CHECK(answer.level <= 2);
  }
  CHECK(over <= 20);  // 0.5 %
  CHECK(*calls < 2500);
}

TEST_CASE("tolerances are meant in the norm of the weights, and a functional's in its own") {
  // Output 0 is steep, output 1 is flat.
  const auto f =
      exact_function<1>(2, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y << std::sin(20 * x[0]), std::sin(0.5 * x[0]);
        J << 20 * std::cos(20 * x[0]), 0.5 * std::cos(0.5 * x[0]);
      });
  const Point<1> x(0.3);
  Eigen::VectorXd y;
  const AdaptiveGrid<1> both(f, {.tolerance = 1e-4});
  const AdaptiveGrid<1> flat(f, {.tolerance = 1e-4, .output_weights = Eigen::Vector2d(0, 1)});
  AdaptiveGrid<1> with_functional(f, {.tolerance = 1e-4});
  const auto functional = with_functional.linear_output(Eigen::RowVector2d(0, 1));
  const int deep = both.evaluate(x, y).level;
  CHECK(deep >= 4);
  CHECK(flat.evaluate(x, y).level <= 1);
  CHECK(functional.evaluate(x, y).level <= 1);
  CHECK(functional.tolerance() == 1e-4);
  // A weight of 10 asks for a tenth of the error.
  const AdaptiveGrid<1> heavy(f, {.tolerance = 1e-3, .output_weights = Eigen::Vector2d(10, 10) / std::sqrt(2.0)});
  CHECK(heavy.evaluate(x, y).level == deep);

  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, {.output_weights = Eigen::Vector3d(1, 1, 1)}),
                    Catch::Contains("3 output weights for 2 outputs"));
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, {.output_weights = Eigen::Vector2d(1, -2)}),
                    Catch::Contains("output weight 1 = -2"));
  CHECK_THROWS_AS(AdaptiveGrid<1>(f, {.output_weights = Eigen::Vector2d(0, 0)}), std::invalid_argument);
}

TEST_CASE("a tolerance that makes no sense, or that f cannot repeat, is refused with the numbers") {
  const auto f = Waves<1>(1).jet<1>();
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, {.tolerance = 0.0}), Catch::Contains("tolerance 0"));
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f).at_tolerance(-1e-3), Catch::Contains("-0.001"));
  CHECK_THROWS_AS(AdaptiveGrid<1>(f).at_tolerance(std::nan("")), std::invalid_argument);
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, {.tolerance = 1e-3, .surplus_generations = 0}),
                    Catch::Contains("surplus_generations = 0"));
  CHECK_THROWS_WITH(AdaptiveGrid<6>(Waves<6>(1).jet<1>(), {.surplus_generations = 4}),
                    Catch::Contains("surplus_generations = 4 is not in 1..3"));

  const AdaptiveGrid<1> noisy(
      exact_function<1>(1,
                        [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          y[0] = 50 + x[0];
                          J(0, 0) = 1;
                        },
                        {.repeatable_to = 1e-6}));
  Eigen::VectorXd y;
  CHECK_NOTHROW(noisy.at_tolerance(1e-4).evaluate(Point<1>(0.5), y));
  CHECK_THROWS_WITH(noisy.at_tolerance(1e-5).evaluate(Point<1>(0.5), y),
                    Catch::Contains("tolerance 1e-05 is below 5.05e-05"));
}

TEST_CASE("refine divides the tolerance by 16, and views stay") {
  AdaptiveGrid<1> grid(Waves<1>(1).jet<1>(), {.tolerance = 1e-2});
  const auto view = grid.at_tolerance(*grid.tolerance());
  grid.refine();
  CHECK(*grid.tolerance() == 1e-2 / 16);
  CHECK(*view.tolerance() == 1e-2);
  CHECK_FALSE(grid.at_level(1).tolerance().has_value());
}

TEST_CASE("an output that the weights leave out does not spoil the tolerance") {
  const auto f =
      exact_function<1>(2, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y << 1e12 * std::cos(x[0]), std::sin(20 * x[0]);
        J << -1e12 * std::sin(x[0]), 20 * std::cos(20 * x[0]);
      });
  Eigen::VectorXd y;
  for (const double weight : {0.0, 1e-20}) {
    const AdaptiveGrid<1> grid(f, {.tolerance = 1e-6, .output_weights = Eigen::Vector2d(weight, 1)});
    for (double x = -1; x < 1; x += 0.01) {
      grid.evaluate(Point<1>(x), y);
      CHECK(std::abs(y[1] - std::sin(20 * x)) <= 1.1e-6);
    }
  }
}

TEST_CASE("what f does not repeat is part of the error that is stated") {
  std::mt19937 random(seed_wanted());
  std::uniform_real_distribution<double> unit(-1, 1);
  int answers = 0, over = 0;
  for (int draw = 0; draw < draws_wanted(6); ++draw) {
    const double repeatable = std::pow(10, -8 + 3 * unit(random)), frequency = 2 + unit(random);
    const double size = std::pow(10, 3 * unit(random)), tolerance = size * repeatable * (6 + 5 * unit(random));
    CAPTURE(seed_wanted(), draw, repeatable, frequency, size, tolerance);
    const auto exact = [=](double x) { return size * std::sin(frequency * x); };
    // As an iterative solver leaves it, which begins wherever it likes: a function of x, and without any pattern in it.
    const auto noise = [](double x) {
      auto bits = std::bit_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u;
      bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
      return static_cast<double>((bits ^ bits >> 32) >> 11) * 0x1p-53 - 0.5;
    };
    const auto f =
        exact_function<1>(1,
                          [=](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                            y[0] = exact(x[0]) + size * repeatable * noise(x[0]);
                            J(0, 0) = size * frequency * std::cos(frequency * x[0]);
                          },
                          {.repeatable_to = repeatable});
    const AdaptiveGrid<1> grid(f, {.tolerance = tolerance});
    Eigen::VectorXd y;
    for (int i = 0; i < 2000; ++i, ++answers) {
      const Point<1> x(3 * unit(random));
      const Answer answer = grid.evaluate(x, y);
      REQUIRE(answer.trust == Trust::estimated);
      CHECK(answer.error >= 0.2 * size * repeatable);
      over += std::abs(y[0] - exact(x[0])) > answer.error;
    }
  }
  CHECK(over <= 0.01 * answers);
}
