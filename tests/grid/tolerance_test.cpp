// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "support/functions.hpp"
#include "support/laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
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

TEST_CASE("the estimates of value and Jacobian are above the error for all but a few answers") {
  const Waves<3> waves(3, 2.0);
  const AdaptiveGrid<3> grid(waves.jet<1>());
  const auto view = grid.at_tolerance(1e-4);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  int value_above = 0, jacobian_above = 0;
  const auto points = random_points<3>(1000, Point<3>::Constant(-2), Point<3>::Constant(2), 4);
  for (const Point<3>& x : points) {
    const Answer answer = view.evaluate(x, y, J);
    const Eigen::MatrixXd error = J - waves.jacobian(x);
    value_above += (y - waves.value(x)).norm() / std::sqrt(3.0) > answer.error;
    jacobian_above += error.colwise().norm().maxCoeff() / std::sqrt(3.0) > answer.jacobian_error;
  }
  CHECK(value_above <= 20);
  CHECK(jacobian_above <= 20);
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
  const double width = 0.03;
  const Point<2> centre(0.25, 0.75);
  const auto value = [&](const Point<2>& x) { return std::exp(-(x - centre).squaredNorm() / (2 * width * width)); };
  const auto gradient = [&](const Point<2>& x) -> Point<2> { return -value(x) / (width * width) * (x - centre); };
  const auto exact = [&](const Point<2>& x) { return Eigen::VectorXd::Constant(1, value(x)); };
  const std::vector<Point<2>> peak{centre, Point<2>(0.26, 0.74)};

  const Calls blind_calls = new_calls();
  const AdaptiveGrid<2> blind(scalar<2>(blind_calls, value, gradient), {.tolerance = 1e-3});
  CHECK(worst_error<2>(blind, exact, peak) > 0.9);
  CHECK(*blind_calls == 5);

  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(scalar<2>(calls, value, gradient), {.tolerance = 1e-3, .surplus_generations = 2});
  CHECK(worst_error<2>(grid, exact, peak) <= 1e-3);

  // The price where there is nothing to see: 4 corners, 1 centre, 4 centres of children.
  const Calls constant_calls = new_calls();
  const AdaptiveGrid<2> constant(
      scalar<2>(
          constant_calls, [](const Point<2>&) { return 1.0; }, [](const Point<2>&) { return Point<2>(0, 0); }),
      {.tolerance = 1e-3, .surplus_generations = 2});
  Eigen::VectorXd y;
  constant.evaluate(Point<2>(0.5, 0.5), y);
  CHECK(*constant_calls == 9);
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

TEST_CASE("neither huge nor tiny outputs, nor huge nor tiny coordinates change a leaf") {
  const Waves<2> waves(2, 1.5);
  const auto scaled = [&](double by, double stretch) {
    return exact_function<2>(2, [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
      y = by * waves.value(x / stretch);
      J = by / stretch * waves.jacobian(x / stretch);
    });
  };
  const AdaptiveGrid<2> plain(scaled(1, 1));
  const auto points = random_points<2>(50, Point<2>(-2, -2), Point<2>(2, 2), 7);
  for (const double by : {0x1p-900, 0x1p-200, 0x1p300, 0x1p900})
    for (const double stretch : {0x1p-80, 1.0, 0x1p60}) {
      CAPTURE(by, stretch);
      GridOptions<2> options;
      options.spacing.setConstant(stretch);
      const AdaptiveGrid<2> grid(scaled(by, stretch), options);
      Eigen::VectorXd y, y_plain;
      for (const Point<2>& x : points) {
        const Answer answer = grid.at_tolerance(1e-4 * by).evaluate(stretch * x, y);
        const Answer answer_plain = plain.at_tolerance(1e-4).evaluate(x, y_plain);
        CHECK(answer.level == answer_plain.level);
        CHECK(answer.error == Approx(by * answer_plain.error).epsilon(1e-6));
        CHECK((y - by * y_plain).norm() <= 1e-12 * by);
      }
    }
}

TEST_CASE("leaves do not depend on the order of queries, other tolerances, batches or threads, to the bit") {
  const auto f = Waves<3>(5, 2.5).jet<1>();
  const auto points = random_points<3>(120, Point<3>::Constant(-1), Point<3>::Constant(1), 8);
  Eigen::MatrixXd X(3, 120);
  for (int m = 0; m < 120; ++m) X.col(m) = points[m];
  const AdaptiveGrid<3> forward(f), backward(f), batched(f, {}, Threads{3}), threaded(f);

  Eigen::MatrixXd expected(5, 120), Y;
  std::vector<Answer> answers(120);
  Eigen::VectorXd y;
  for (int m = 0; m < 120; ++m) {
    answers[m] = forward.at_tolerance(1e-4).evaluate(points[m], y);
    expected.col(m) = y;
  }
  const auto agrees = [&](int m, const Answer& answer, const Eigen::VectorXd& value) {
    return answer.level == answers[m].level && answer.error == answers[m].error &&
           answer.jacobian_error == answers[m].jacobian_error && value == expected.col(m);
  };
  for (int m = 119; m >= 0; --m) {
    backward.at_tolerance(m % 2 ? 1e-2 : 1e-6).evaluate(points[m], y);
    const Answer answer = backward.at_tolerance(1e-4).evaluate(points[m], y);
    CHECK(agrees(m, answer, y));
  }
  const auto batch = batched.at_tolerance(1e-4).evaluate_batch(X, Y);
  for (int m = 0; m < 120; ++m) CHECK(agrees(m, batch[m], Y.col(m)));
  const auto prepared = batched.statistics().exact_evaluations;
  for (int m = 0; m < 120; ++m) batched.at_tolerance(1e-4).evaluate(points[m], y);
  CHECK(batched.statistics().exact_evaluations == prepared);
  CHECK(prepared == forward.statistics().exact_evaluations);

  std::vector<int> differ(4, 0);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      Eigen::VectorXd own;
      for (int m = 0; m < 120; ++m) {
        const int at = (m * 7 + 31 * k) % 120;
        const Answer answer = threaded.at_tolerance(1e-4).evaluate(points[at], own);
        differ[k] += !agrees(at, answer, own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : differ) CHECK(count == 0);
  CHECK(threaded.statistics().exact_evaluations == forward.statistics().exact_evaluations);
}

TEST_CASE("an error estimate calls nothing and says what is known") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls, 3));
  const Point<2> x(0.3, 0.4);
  Eigen::VectorXd y;
  CHECK(grid.error_estimate(x).trust == Trust::unchecked);
  grid.evaluate(x, y);
  CHECK(std::isnan(grid.error_estimate(x).error));
  const int before = *calls;

  grid.at_level(1).evaluate(x, y);  // its corner (0.5, 0.5) is the centre of the coarse cell
  const int after = *calls;
  CHECK(after > before);
  const Answer coarse = grid.error_estimate(x), fine = grid.at_level(1).error_estimate(x);
  CHECK(*calls == after);
  CHECK(coarse.trust == Trust::estimated);
  const Waves<2> waves(3);
  grid.evaluate(x, y);
  const double error = (y - waves.value(x)).norm() / std::sqrt(3.0);
  CHECK(coarse.error >= error);
  CHECK(coarse.error <= 20 * error);
  CHECK(fine.trust == Trust::estimated);  // from its parent
  CHECK(fine.error < coarse.error);
  grid.at_level(1).evaluate(x, y);
  CHECK(fine.error >= (y - waves.value(x)).norm() / std::sqrt(3.0));

  const auto view = grid.at_tolerance(1e-5);
  const Answer answer = view.evaluate(x, y);
  const int at_tolerance = *calls;
  const Answer estimate = view.error_estimate(x);
  CHECK(estimate.trust == answer.trust);
  CHECK(estimate.error == answer.error);
  CHECK(estimate.jacobian_error == answer.jacobian_error);
  CHECK(*calls == at_tolerance);
}

TEST_CASE("jets of order 2 and 3 estimate their error from one cell's corners, within a factor of 10") {
  const Waves<2> waves(3, 1.5);
  const auto check = [&](const auto& f) {
    const AdaptiveGrid<2> grid(f);
    Eigen::VectorXd y;
    for (const Point<2>& x : {Point<2>(0.5, 0.5), Point<2>(-1.5, 0.5), Point<2>(2.5, -0.5)}) {
      grid.evaluate(x, y);
      const Answer estimate = grid.error_estimate(x);
      const double error = (y - waves.value(x)).norm() / std::sqrt(3.0);
      CHECK(estimate.trust == Trust::estimated);
      CHECK(estimate.error >= error);
      CHECK(estimate.error <= 10 * error);
    }
    CHECK(grid.statistics().exact_evaluations == 12);
  };
  check(waves.jet<2>());
  check(waves.jet<3>());
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
  const auto functional = with_functional.add_functional(Eigen::RowVector2d(0, 1));
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

TEST_CASE("where the tolerance cannot be reached the answer says so") {
  const Waves<1> waves(1, 3.0);
  Eigen::VectorXd y;
  const AdaptiveGrid<1> shallow(waves.jet<1>(), {.deepest_level = 2, .tolerance = 1e-12});
  const Answer answer = shallow.evaluate(Point<1>(0.4), y);
  CHECK(answer.level == 2);
  CHECK(answer.trust == Trust::estimated);
  CHECK(answer.error > 1e-12);
  CHECK(answer.error >= std::abs(y[0] - waves.value(Point<1>(0.4))[0]));
  // Below rounding a cell is accepted at rounding, not split for ever.
  const AdaptiveGrid<1> rounded(waves.jet<1>(), {.tolerance = 1e-300});
  const Answer finest = rounded.evaluate(Point<1>(0.4), y);
  CHECK(finest.level < 15);
  CHECK(finest.error < 1e-13);
}

TEST_CASE("refine divides the tolerance by 16, and views stay") {
  AdaptiveGrid<1> grid(Waves<1>(1).jet<1>(), {.tolerance = 1e-2});
  const auto view = grid.at_tolerance(*grid.tolerance());
  grid.refine();
  CHECK(*grid.tolerance() == 1e-2 / 16);
  CHECK(*view.tolerance() == 1e-2);
  CHECK_FALSE(grid.at_level(1).tolerance().has_value());
}

TEST_CASE("at the deepest level no order is claimed that was not seen") {
  const auto step =
      exact_function<1>(1, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = x[0] > 0.3;
        J(0, 0) = 0;
      });
  Eigen::VectorXd y;
  for (const int deepest : {3, 4, 5, 6, 7, 8})
    for (const double tolerance : {1.0 / 6, 1.0 / 60}) {
      const AdaptiveGrid<1> grid(step, {.deepest_level = deepest, .tolerance = tolerance});
      for (double x = 0; x < 1; x += 1.0 / 1023) {
        const Answer answer = grid.evaluate(Point<1>(x), y);
        if (answer.level == deepest && std::abs(y[0] - (x > 0.3)) > tolerance)
          REQUIRE((answer.trust == Trust::unchecked || answer.error > tolerance));
      }
    }
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

TEST_CASE("an error estimate outside the domain is that of the answer there") {
  GridOptions<1> options;
  options.lower[0] = 0;
  options.upper[0] = 2;
  options.tolerance = 1e-3;
  options.outside = OutsidePolicy::clamp;
  const AdaptiveGrid<1> grid(Waves<1>(1).jet<1>(), options);
  Eigen::VectorXd y;
  CHECK(grid.evaluate(Point<1>(5), y).trust == Trust::extended);
  CHECK(grid.error_estimate(Point<1>(5)).trust == Trust::extended);
  CHECK(std::isnan(grid.error_estimate(Point<1>(5)).error));
}

TEST_CASE("trim in tolerance mode keeps what tolerances have met, however often") {
  const auto keeps = [](auto f, const Calls& calls, GridOptions<2> options) {
    options.tolerance = 1e-4;
    AdaptiveGrid<2> grid(std::move(f), options);
    const auto points = random_points<2>(60, Point<2>(-1, -1), Point<2>(1, 1), 9);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const Point<2>& x : points) grid.try_evaluate(x, y, J);
    const int met = *calls;
    for (const Point<2>& x : points) grid.at_level(7).try_evaluate(x, y, J);
    CHECK(*calls > met);
    const std::size_t corners = grid.statistics().corners;
    for (int times = 0; times < 3; ++times) grid.trim();
    CHECK(grid.statistics().corners < corners);
    const int before = *calls;
    for (const Point<2>& x : points) grid.try_evaluate(x, y, J);
    CHECK(*calls == before);
    CHECK(grid.statistics().corners == static_cast<std::size_t>(met));
  };
  const Calls calls = new_calls();
  keeps(counted_waves<2>(calls, 3), calls, {});
  *calls = 0;
  keeps(exact_function_without_derivatives<2>(1,
                                              [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) {
                                                ++*calls;
                                                y[0] = std::sin(x[0] + 2 * x[1]);
                                              }),
        calls, {});
  GridOptions<2> certified;
  certified.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
    return FourthDerivativeBounds<2>::common(0.6);
  };
  *calls = 0;
  keeps(counted_waves<2>(calls, 3), calls, certified);
  *calls = 0;  // corners that fail, and cells with two branches
  keeps(exact_function<2>(
            1,
            [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
              ++*calls;
              if (x.norm() < 0.2) throw std::runtime_error("no solution");
              y[0] = x[0] * x[0];
              J << 2 * x[0], 0;
              return x[0] > 0.7;
            }),
        calls, {});
}

TEST_CASE("a centre that fails sends the query deeper, and the policy for failures answers") {
  // Fails in a small ball around the centre of the cell [0, 1]^2.
  const auto f =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if ((x - Point<2>(0.5, 0.5)).norm() < 0.1) throw std::runtime_error("no solution");
        y[0] = x[0] * x[1];
        J << x[1], x[0];
      });
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const AdaptiveGrid<2> strict(f, {.tolerance = 1e-6});
  CHECK_THROWS_WITH(strict.evaluate(Point<2>(0.3, 0.3), y), Catch::Contains("no solution"));
  CHECK(strict.try_evaluate(Point<2>(0.3, 0.3), y, J).trust == Trust::failed);
  const AdaptiveGrid<2> lenient(f, {.on_failure = FailurePolicy::coarser, .tolerance = 1e-6});
  const Answer answer = lenient.evaluate(Point<2>(0.3, 0.3), y);
  CHECK(answer.trust == Trust::coarser);
  CHECK(answer.level == 0);
  CHECK(y[0] == Approx(0.09));
}

TEST_CASE("a grid to a tolerance is a map like any other, and so are its functionals") {
  AdaptiveGrid<2> grid(Waves<2>(4).jet<1>(), {.tolerance = 1e-3});
  std::vector<Point<2>> points;  // away from faces, where the Jacobian may jump
  for (const Point<2>& x : random_points<2>(20, Point<2>(0.27, 0.27), Point<2>(0.48, 0.48), 10)) points.push_back(x);
  const MapLaws laws{.derivatives = {.largest_step = 1e-3}};
  obeys_the_laws_of_maps<2>(grid, points, laws);
  obeys_the_laws_of_maps<2>(grid.add_functional(Eigen::MatrixXd::Random(2, 4)), points, laws);
}

TEST_CASE("the nearest corner and its jet are those of the level's lattice, shared with the cells") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.lower = Point<2>(0, 0);
  options.upper = Point<2>(2, 2);
  const AdaptiveGrid<2> grid(counted_waves<2>(calls, 3), options);
  const auto view = grid.at_level(1);
  CHECK(view.nearest_corner(Point<2>(0.3, 0.7)) == Point<2>(0.5, 0.5));
  CHECK(view.nearest_corner(Point<2>(7, -3)) == Point<2>(2, 0));
  CHECK_THROWS_AS(view.nearest_corner(Point<2>(std::nan(""), 0)), DomainError);
  CHECK(view.jet_order() == 1);
  Eigen::MatrixXd jet;
  view.corner_jet(Point<2>(0.3, 0.7), jet);
  CHECK(*calls == 1);
  const Waves<2> waves(3);
  CHECK(jet.col(0) == waves.value(Point<2>(0.5, 0.5)));
  CHECK(jet.rightCols(2) == waves.jacobian(Point<2>(0.5, 0.5)));
  Eigen::VectorXd y;
  view.evaluate(Point<2>(0.6, 0.6), y);
  CHECK(*calls == 4);
}
