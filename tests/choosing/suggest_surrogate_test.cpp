// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/choosing/suggest_surrogate.hpp"

#include "quoin/map/exact_function.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

using namespace quoin;
using namespace quoin::test;

namespace {

/// cos(2 x + y) with its derivatives to order K, after so long.
template <int K>
auto wave(std::chrono::microseconds pause = {}) {
  return exact_jet<2, K>(1, [pause](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
    std::this_thread::sleep_for(pause);
    const double t = 2 * x[0] + x[1];
    Eigen::Index column = 0;
    for (const MultiIndex<2>& a : graded_multi_indices<2>(K))
      jet(0, column++) = std::pow(2, a[0]) * std::cos(t + (a[0] + a[1]) * std::acos(0.));
  });
}

Eigen::MatrixXd circle(double radius, int points = 200) {
  Eigen::MatrixXd X(2, points);
  for (int m = 0; m < points; ++m) {
    const double turn = 2 * std::acos(-1.) * m / points;
    X.col(m) << radius * std::cos(turn), radius * std::sin(turn);
  }
  return X;
}

template <class Advice>
auto choice_of(const Advice& advice, SurrogateKind kind, int order) {
  const auto it = std::find_if(advice.choices.begin(), advice.choices.end(),
                               [&](const auto& choice) { return choice.kind == kind && choice.order == order; });
  REQUIRE(it != advice.choices.end());
  return *it;
}

}  // namespace

TEST_CASE("a grid of the suggested spacing errs as expected along a path, and meets the corners expected") {
  const Eigen::MatrixXd path = circle(2, 4000);
  const AdaptiveGrid<2> asked(wave<3>());
  const auto advice = suggest_surrogate(asked, path, {.tolerance = 1e-5});
  REQUIRE(advice.resolved());
  for (int order = 1; order <= 3; ++order) {
    const auto choice = choice_of(advice, SurrogateKind::grid, order);
    const GridOptions<2> options{.spacing = choice.spacing};
    const AdaptiveGrid<2> grid = order == 1   ? AdaptiveGrid<2>(wave<1>(), options)
                                 : order == 2 ? AdaptiveGrid<2>(wave<2>(), options)
                                              : AdaptiveGrid<2>(wave<3>(), options);
    Eigen::VectorXd y;
    double largest = 0;
    for (Eigen::Index m = 0; m < path.cols(); ++m) {
      grid.evaluate(path.col(m), y);
      largest = std::max(largest, std::abs(y[0] - std::cos(2 * path(0, m) + path(1, m))));
    }
    CAPTURE(order, choice.spacing.transpose(), largest);
    CHECK(largest < 2e-5);
    CHECK(largest > 3e-6);
    CHECK(choice.error < 1.1e-5);
    const auto taken = static_cast<double>(grid.statistics().exact_evaluations);
    CHECK(choice.evaluations >= 0.97 * taken);
    CHECK(choice.evaluations <= 1.03 * taken);
  }
}

TEST_CASE("in a box the corners of all its cells are expected") {
  Eigen::MatrixXd points(2, 400);
  for (int m = 0; m < 400; ++m) points.col(m) << -1 + 2. * (m % 20) / 19, -1 + 2. * (m / 20) / 19;
  const AdaptiveGrid<2> asked(wave<2>());
  const auto advice = suggest_surrogate(asked, points, {.tolerance = 1e-4, .coverage = Coverage::box});
  const auto choice = choice_of(advice, SurrogateKind::grid, 1);
  const AdaptiveGrid<2> grid(wave<1>(), {.spacing = choice.spacing});
  Eigen::VectorXd y;
  for (double x0 = -1; x0 <= 1; x0 += 0.01)
    for (double x1 = -1; x1 <= 1; x1 += 0.01) grid.evaluate({x0, x1}, y);
  CHECK(choice.evaluations == static_cast<double>(grid.statistics().exact_evaluations));
}

TEST_CASE("of a function without derivatives the values that differences take are expected") {
  const auto values = exact_function_without_derivatives<2>(
      1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = std::cos(2 * x[0] + x[1]); });
  const Eigen::MatrixXd path = circle(2, 4000);
  for (const Coverage coverage : {Coverage::path, Coverage::box}) {
    const AdaptiveGrid<2> asked(values);
    const auto advice = suggest_surrogate(asked, path, {.tolerance = 1e-4, .coverage = coverage});
    REQUIRE(advice.resolved());
    CHECK(asked.statistics().exact_evaluations > 5 * static_cast<std::size_t>(advice.samples));
    const auto choice = choice_of(advice, SurrogateKind::grid, 1);
    const AdaptiveGrid<2> grid(values, {.spacing = choice.spacing});
    Eigen::VectorXd y;
    double largest = 0;
    for (Eigen::Index m = 0; m < path.cols(); ++m) {
      grid.evaluate(path.col(m), y);
      largest = std::max(largest, std::abs(y[0] - std::cos(2 * path(0, m) + path(1, m))));
    }
    if (coverage == Coverage::box)
      for (double x0 = -2; x0 <= 2; x0 += 0.01)
        for (double x1 = -2; x1 <= 2; x1 += 0.01) grid.evaluate({x0, x1}, y);
    CAPTURE(static_cast<int>(coverage), choice.spacing.transpose(), choice.corners, largest);
    CHECK(largest < 2e-4);
    CHECK(largest > 2e-5);
    const auto taken = static_cast<double>(grid.statistics().exact_evaluations);
    CHECK(choice.evaluations >= 0.97 * taken);
    CHECK(choice.evaluations <= 1.03 * taken);
    CHECK(choice.corners < choice.evaluations);

    const auto kernel = choice_of(advice, SurrogateKind::kernel, 1);
    CHECK(kernel.evaluations == 9 * kernel.corners);
  }
}

TEST_CASE("a kernel of values needs one evaluation a sample, fewer than all else where f gives values alone") {
  const Eigen::MatrixXd path = circle(2);
  // So slow that a kernel of values may be best, and is looked at again.
  const AdaptiveGrid<2> asked(
      exact_function_without_derivatives<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        y[0] = std::cos(2 * x[0] + x[1]);
      }));
  const auto advice = suggest_surrogate(asked, path, {.tolerance = 1e-6, .queries = 1000});
  const auto choice = choice_of(advice, SurrogateKind::kernel, 0);
  CHECK(choice.evaluations == choice.corners);
  for (const auto& other : advice.choices) CHECK(choice.evaluations <= other.evaluations);
  const auto of_jets = suggest_surrogate(AdaptiveGrid<2>(wave<2>()), path, {.tolerance = 1e-6});
  for (const auto& other : of_jets.choices) CHECK((other.kind == SurrogateKind::function || other.order > 0));
}

TEST_CASE("a kernel that takes the samples expected errs by at most the tolerance, and takes fewest on a smooth path") {
  const Eigen::MatrixXd path = circle(2);
  const AdaptiveGrid<2> asked(wave<2>());
  const auto advice = suggest_surrogate(asked, path, {.tolerance = 1e-6});
  const auto choice = choice_of(advice, SurrogateKind::kernel, 2);
  for (const auto& other : advice.choices) CHECK(choice.evaluations <= other.evaluations);

  KernelSurrogate<2, GridView<2>> kernel(asked.at_level(4), {.jitter = choice.jitter});
  kernel.refine_at(path, choice.threshold, static_cast<std::size_t>(choice.corners));
  CHECK(kernel.exact_evaluations() == static_cast<std::size_t>(choice.evaluations));
  Eigen::VectorXd y;
  for (Eigen::Index m = 0; m < path.cols(); ++m) {
    kernel.view().evaluate(path.col(m), y);
    CHECK(std::abs(y[0] - std::cos(2 * path(0, m) + path(1, m))) < 1e-6);
  }
}

TEST_CASE("a fast function that is asked a few times is best called, a slow one that is asked often is not") {
  const Eigen::MatrixXd path = circle(2);
  const AdaptiveGrid<2> fast(wave<1>()), slow(wave<1>(std::chrono::microseconds(2000)));
  CHECK(suggest_surrogate(fast, path, {.tolerance = 1e-5, .queries = 10}).choices.front().kind ==
        SurrogateKind::function);
  const auto advice = suggest_surrogate(slow, path, {.tolerance = 1e-5, .queries = 1e5});
  CHECK(advice.choices.front().kind != SurrogateKind::function);
  CHECK(advice.choices.back().kind == SurrogateKind::function);
  CHECK(advice.seconds_per_evaluation > 0.002);
  CHECK(advice.choices.back().seconds == Approx(1e5 * advice.seconds_per_evaluation));
  CHECK(advice.choices.front().seconds < 0.01 * advice.choices.back().seconds);
}

TEST_CASE("the samples stay in the grid, and asking again evaluates nothing") {
  const Eigen::MatrixXd path = circle(2);
  const AdaptiveGrid<2> grid(wave<2>());
  const auto advice = suggest_surrogate(grid, path, {.tolerance = 1e-5, .samples = 10});
  CHECK(advice.samples <= 10);
  CHECK(grid.statistics().exact_evaluations == static_cast<std::size_t>(advice.samples));
  suggest_surrogate(grid, path, {.tolerance = 1e-7, .samples = 10});
  CHECK(grid.statistics().exact_evaluations == static_cast<std::size_t>(advice.samples));
  KernelInterpolant<2> kernel(1, 2);
  CHECK(kernel.insert(grid.samples()).used == static_cast<std::size_t>(advice.samples));
}

TEST_CASE("a kernel that would serve best takes half of the samples that it lacks, twice, before it is believed") {
  Eigen::MatrixXd box(2, 400);
  for (int m = 0; m < 400; ++m) box.col(m) << -1 + 2. * (m % 20) / 19, -1 + 2. * (m / 20) / 19;
  SurrogateTask task{.tolerance = 1e-5, .queries = 2000, .coverage = Coverage::box};
  // So slow that corners decide even where a sanitizer makes queries fifty times slower.
  const AdaptiveGrid<2> asked(wave<1>(std::chrono::milliseconds(10)));
  const auto advice = suggest_surrogate(asked, box, task);
  const auto best = advice.choices.front();
  REQUIRE(best.kind == SurrogateKind::kernel);
  CHECK(advice.samples > 16);
  CHECK(advice.samples <= best.corners);
  CHECK(asked.statistics().exact_evaluations == static_cast<std::size_t>(advice.samples));

  KernelSurrogate<2, GridView<2>> kernel(asked.at_level(5), {.jitter = best.jitter});
  kernel.refine_at(box, best.threshold, static_cast<std::size_t>(best.corners));
  Eigen::VectorXd y;
  double largest = 0;
  for (Eigen::Index m = 0; m < box.cols(); ++m) {
    kernel.view().evaluate(box.col(m), y);
    largest = std::max(largest, std::abs(y[0] - std::cos(2 * box(0, m) + box(1, m))));
  }
  CAPTURE(best.error);
  CHECK(largest < best.error);
  CHECK(largest < 2e-5);

  task.samples = 16;
  CHECK(suggest_surrogate(asked, box, task).samples == 16);
}

TEST_CASE("a layer between the samples is not resolved: f itself or a grid in tolerance mode") {
  const auto layer =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        const double t = std::tanh((x[0] - 0.3 * x[1]) / 0.02);
        y[0] = t;
        J << (1 - t * t) / 0.02, -0.3 * (1 - t * t) / 0.02;
      });
  const AdaptiveGrid<2> grid(layer);
  const auto advice = suggest_surrogate(grid, circle(2), {.tolerance = 1e-3});
  CHECK_FALSE(advice.resolved());
  REQUIRE(advice.choices.size() == 2);
  const auto choice = choice_of(advice, SurrogateKind::grid_tolerance, 1);
  CHECK(choice.spacing.isApprox(Point<2>::Constant(0.8), 0.01));
}

TEST_CASE("a function that is the same everywhere, or linear, is answered by few cells") {
  const auto linear =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = 3 + x[0] - 2 * x[1];
        J << 1, -2;
      });
  const auto constant =
      exact_function<2>(1, [](const Point<2>&, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        y[0] = 3;
        J.setZero();
      });
  for (const AdaptiveGrid<2>& grid : {AdaptiveGrid<2>(linear), AdaptiveGrid<2>(constant)}) {
    const auto advice = suggest_surrogate(grid, circle(2), {.tolerance = 1e-6});
    CHECK(advice.resolved());
    // Nine would do, but the kernel that stands for f bends where it leaves the circle.
    CHECK(choice_of(advice, SurrogateKind::grid, 1).evaluations <= 25);
  }
}

TEST_CASE("what no advice follows from is refused with its numbers") {
  const AdaptiveGrid<2> grid(wave<1>());
  const Eigen::MatrixXd path = circle(2);
  const auto refused = [&](const Eigen::MatrixXd& points, const SurrogateTask& task, const char* with) {
    CHECK_THROWS_WITH(suggest_surrogate(grid, points, task), Catch::Contains(with));
  };
  refused(Eigen::MatrixXd::Zero(3, 5), {}, "points of 3 x 5");
  refused(path.leftCols(1), {}, "points of 2 x 1");
  refused(Eigen::MatrixXd::Constant(2, 4, std::numeric_limits<double>::quiet_NaN()), {}, "not finite");
  refused(Eigen::MatrixXd::Ones(2, 4), {}, "all at (1, 1)");
  refused(path, {.tolerance = 0}, "tolerance 0");
  refused(path, {.queries = -1}, "-1 queries");
  for (const int samples : {-2, 2, 201})
    refused(path, {.samples = samples}, (std::to_string(samples) + " samples, expected 3 to 200").c_str());
  refused(path, {.costs = {}}, "0 costs, for jets up to order 1 there are 1 to 3");
  refused(path, {.output_weights = Eigen::VectorXd::Ones(3)}, "3");
  const AdaptiveGrid<2> failing(
      exact_function<2>(1, [](const Point<2>&, Eigen::Ref<Eigen::VectorXd>, Eigen::Ref<Eigen::MatrixXd>) {
        throw std::runtime_error("no");
      }));
  CHECK_THROWS_WITH(suggest_surrogate(failing, path, {.samples = 7}), Catch::Contains("f answered at 0 of 7 points"));
}
