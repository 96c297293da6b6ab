// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/kernel/interleave.hpp"
#include "testing/functions.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// Corners of a lattice, counted; the evaluation fails where it is told to.
template <int Dim>
struct Corners {
  Waves<Dim> waves{3};
  double spacing = 0.25;
  int order = 1;
  std::function<bool(const Point<Dim>&)> fails = [](const auto&) { return false; };
  Calls calls = new_calls();

  Eigen::Index output_size() const { return waves.outputs(); }
  int jet_order() const { return order; }
  Point<Dim> nearest_corner(const Point<Dim>& x) const {
    Point<Dim> corner;
    for (int i = 0; i < Dim; ++i) {
      if (std::abs(x[i]) > 3) throw DomainError("outside");
      corner[i] = spacing * std::round(x[i] / spacing);
    }
    return corner;
  }
  void corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const {
    ++*calls;
    if (fails(x)) throw CornerFailure("diverged");
    jet.resize(waves.outputs(), jet_size(Dim, order));
    const auto& indices = kernel_detail::JetCorrelation<Dim>::indices(order);
    for (std::size_t a = 0; a < indices.size(); ++a)
      for (int r = 0; r < waves.outputs(); ++r)
        jet(r, static_cast<Eigen::Index>(a)) = waves.derivative(r, indices[a], x);
  }
};

/// The same with levels, as in a grid's view.
struct LevelCorners : Corners<2> {
  struct Options {
    int deepest_level = 2;
  };
  int at = 0;
  int level() const { return at; }
  Options options() const { return {}; }
  LevelCorners at_level(int level) const {
    LevelCorners finer = *this;
    finer.at = level;
    finer.spacing = std::ldexp(1.0, -level);
    return finer;
  }
};

KernelOptions<2> length(double l) { return {.length_scale = Point<2>::Constant(l)}; }

/// An arc of the plane, 2 x count.
Eigen::MatrixXd arc(int count, double radius = 1) {
  Eigen::MatrixXd X(2, count);
  for (int m = 0; m < count; ++m) X.col(m) << radius * std::cos(0.02 * m) - 0.3, radius * std::sin(0.02 * m) - 0.4;
  return X;
}

}  // namespace

TEST_CASE("refinement stops where sigma is under both thresholds, at lattice corners, few of them") {
  const Corners<2> corners;
  KernelSurrogate<2, Corners<2>> kernel(corners, length(2));
  const Eigen::MatrixXd X = arc(100);
  const KernelThreshold threshold{.value = 1e-4, .gradient = 1e-3};
  const KernelRefinement done = kernel.refine_at(X, threshold);
  CHECK(done.added == kernel.exact_evaluations());
  CHECK(done.added == static_cast<std::size_t>(*corners.calls));
  CHECK(done.added <= 16);
  CHECK(done.above == 0);
  CHECK(done.largest.value <= 1e-4);
  CHECK(done.largest.gradient <= 1e-3);
  for (int s = 0; s < kernel.interpolant().size(); ++s)
    CHECK(kernel.interpolant().point(s) == corners.nearest_corner(kernel.interpolant().point(s)));
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    CHECK(kernel.interpolant().deviation(X.col(m)).value <= 1.01e-4);
    kernel.view().evaluate(X.col(m), y, J);
    CHECK((y - corners.waves.value(X.col(m))).norm() < 1e-4);
    CHECK((J - corners.waves.jacobian(X.col(m))).norm() < 1e-3);
  }
  CHECK(kernel.refine_at(X, threshold).added == 0);
}

TEST_CASE("the gradient's threshold asks for samples of its own") {
  KernelSurrogate<2, Corners<2>> lax(Corners<2>{}, length(2)), strict(Corners<2>{}, length(2));
  const auto few = lax.refine_at(arc(100), {.value = 1e-3, .gradient = 1});
  const auto more = strict.refine_at(arc(100), {.value = 1e-3, .gradient = 1e-3});
  CHECK(few.largest.value <= 1e-3);
  CHECK(few.largest.gradient > 1e-3);
  CHECK(more.added > few.added);
}

TEST_CASE("second derivatives halve the samples") {
  Corners<2> jets2;
  jets2.order = 2;
  KernelSurrogate<2, Corners<2>> first(Corners<2>{}, length(2)), second(jets2, length(2));
  const KernelThreshold threshold{.value = 1e-5, .gradient = 1e-4};
  const auto with_first = first.refine_at(arc(150), threshold), with_second = second.refine_at(arc(150), threshold);
  CHECK(2 * with_second.added <= with_first.added + 1);
}

TEST_CASE("a budget of evaluations is kept, and said to be too small") {
  KernelSurrogate<2, Corners<2>> kernel(Corners<2>{}, length(2));
  const auto done = kernel.refine_at(arc(100), {.value = 1e-4, .gradient = 1e-3}, 3);
  CHECK(done.added == 3);
  CHECK(done.over_budget);
  CHECK(done.above > 0);
}

TEST_CASE("where the nearest corner is no help the cell's others are taken, then the point is given up") {
  Corners<2> coarse;
  coarse.spacing = 1;
  KernelSurrogate<2, Corners<2>> kernel(coarse, length(0.5));
  const Point<2> x(0.4, 0.3);
  const auto done = kernel.refine_at(x, {.value = 1e-3, .gradient = 1e-3});
  CHECK(done.added == 4);
  CHECK(done.unreachable == 1);
  CHECK(done.above == 1);
  CHECK(done.largest.value > 1e-3);
  for (const Point<2>& corner : {Point<2>(0, 0), Point<2>(1, 0), Point<2>(0, 1), Point<2>(1, 1)})
    CHECK(kernel.interpolant().contains(corner));
  CHECK(kernel.refine_at(Point<2>(5, 0), {}).unreachable == 1);  // outside the sampler's domain
  // at its edge nothing lies on the other side
  KernelSurrogate<2, Corners<2>> edge(coarse, length(0.5));
  CHECK(edge.refine_at(Point<2>(3, 0.3), {.value = 1e-3, .gradient = 1e-3}).added >= 2);
}

TEST_CASE("a sampler with levels goes on to finer ones") {
  KernelSurrogate<2, LevelCorners> kernel(LevelCorners{}.at_level(0), length(1));
  const auto done = kernel.refine_at(Point<2>(0.4, 0.3), {.value = 1e-3, .gradient = 1e-2});
  CHECK(done.above == 0);
  CHECK(done.added > 4);
  CHECK(kernel.interpolant().contains({0.5, 0.5}));
}

TEST_CASE("a grid's view is a sampler: its corners are shared, finer levels are there") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  options.lower.setConstant(-2);
  options.upper.setConstant(2);
  options.deepest_level = 3;
  AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  KernelSurrogate<2, GridView<2>> kernel(grid.at_level(1), length(2));
  const auto done = kernel.refine_at(arc(100), {.value = 1e-4, .gradient = 1e-3});
  CHECK(done.above == 0);
  CHECK(done.added == static_cast<std::size_t>(*calls));
  CHECK(grid.statistics().exact_evaluations == done.added);
  Eigen::VectorXd y;
  for (int s = 0; s < kernel.interpolant().size(); ++s) {
    const Point<2> x = kernel.interpolant().point(s);
    CHECK(x == grid.at_level(1).nearest_corner(x));
    kernel.view().evaluate(x, y);
    CHECK((y - Waves<2>(3).value(x)).norm() < 1e-5);
  }
  // a second kernel over the same grid finds its samples in the store
  const int before = *calls;
  KernelSurrogate<2, GridView<2>> again(grid.at_level(1), length(2));
  CHECK(again.refine_at(arc(100), {.value = 1e-4, .gradient = 1e-3}).added == done.added);
  CHECK(*calls == before);
  // a point that no corner of level 1 brings under the threshold needs a finer level, down to the deepest
  KernelSurrogate<2, GridView<2>> sharp(grid.at_level(1), length(0.3));
  const auto finer = sharp.refine_at(Point<2>(0.4, 0.3), {.value = 1e-3, .gradient = 1e-2});
  CHECK(finer.added > 4);
}

TEST_CASE("a corner that fails is asked for once, counted, and another one is taken") {
  Corners<2> corners;
  corners.fails = [](const Point<2>& x) { return x == Point<2>(0.5, 0.5); };
  KernelSurrogate<2, Corners<2>> kernel(corners, length(1));
  const Point<2> x(0.52, 0.47);
  const KernelThreshold threshold{.value = 1e-2, .gradient = 1e-1};
  const auto done = kernel.refine_at(x, threshold);
  CHECK(done.failed == 1);
  CHECK(done.added >= 1);
  CHECK(done.above == 0);
  CHECK_FALSE(kernel.interpolant().contains({0.5, 0.5}));
  CHECK(kernel.exact_evaluations() == static_cast<std::size_t>(*corners.calls));
  CHECK(kernel.refine_at(x, {.value = 1e-3, .gradient = 1e-2}).failed == 0);

  Corners<2> hopeless;
  hopeless.fails = [](const Point<2>&) { return true; };
  KernelSurrogate<2, Corners<2>> none(hopeless, length(1));
  const auto given_up = none.refine_at(x, threshold);
  CHECK(given_up.added == 0);
  CHECK(given_up.failed == 4);
  CHECK(given_up.unreachable == 1);
}

TEST_CASE("thresholds and points that make no sense are refused with the numbers") {
  KernelSurrogate<2, Corners<2>> kernel(Corners<2>{}, length(1));
  CHECK_THROWS_WITH(kernel.refine_at(arc(3), {.value = 1e-6}), Catch::Contains("floor"));
  CHECK_THROWS_WITH(kernel.refine_at(arc(3), {.value = 1e-3, .gradient = 0}), Catch::Contains("floor"));
  CHECK_THROWS_WITH(kernel.refine_at(Eigen::MatrixXd::Zero(3, 4), {}), Catch::Contains("3 rows"));
  CHECK_THROWS_WITH(kernel.refine_at(Point<2>(0, NAN), {}), Catch::Contains("not finite"));
}

namespace {

/// A path of points: each has the two residuals of f(x) = target(m), found by Newton's method.
using Path = Eigen::MatrixXd;
const Waves<2> path_waves(2);
Path true_path(int count) { return arc(count, 0.7); }

SolverResult<Path> solve(const KernelView<2>& map, const Path& guess) {
  const Path truth = true_path(static_cast<int>(guess.cols()));
  Path path = guess;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  double cost = 0;
  for (Eigen::Index m = 0; m < path.cols(); ++m) {
    const Eigen::VectorXd target = path_waves.value(truth.col(m));
    for (int n = 0; n < 30; ++n) {
      map.evaluate(path.col(m), y, J);
      const Point<2> r = y - target;
      Point<2> step =
          Eigen::Matrix2d(J.transpose() * J + 1e-9 * Eigen::Matrix2d::Identity()).inverse() * (J.transpose() * r);
      if (step.norm() > 0.3) step *= 0.3 / step.norm();
      path.col(m) -= step;
    }
    map.evaluate(path.col(m), y);
    cost += (y - target).squaredNorm();
  }
  return {.iterate = path, .cost = cost, .converged = true};
}

Corners<2> path_corners() {
  Corners<2> corners{.waves = path_waves};
  corners.spacing = 0.125;
  return corners;
}

KernelSchedule<Path> path_schedule() {
  return {.points = [](const Path& path) { return path; }};
}

}  // namespace

TEST_CASE("interleaved with a solver, a kernel ends at the exact solution with few samples") {
  const Corners<2> corners = path_corners();
  KernelSurrogate<2, Corners<2>> kernel(corners, length(2));
  const Path guess = true_path(60).array() + 0.15;
  std::vector<double> thresholds;
  const auto result = interleave(
      kernel, solve, guess,
      {.schedule = path_schedule(),
       .exact_check =
           [](const Path& path) {
             double cost = 0;
             for (Eigen::Index m = 0; m < path.cols(); ++m)
               cost += (path_waves.value(path.col(m)) - path_waves.value(true_path(60).col(m))).squaredNorm();
             return cost;
           },
       .observer =
           [&](const Round& round, const Path&) {
             thresholds.push_back(round.tolerance);
             return true;
           }});
  CAPTURE(result.message);
  CHECK(result.stop == InterleaveStop::converged);
  CHECK((result.iterate - true_path(60)).cwiseAbs().maxCoeff() < 1e-5);
  CHECK(result.exact_cost < 1e-9);
  CHECK(kernel.exact_evaluations() <= 12);
  CHECK(static_cast<std::size_t>(*corners.calls) == kernel.exact_evaluations());
  std::size_t evaluations = 0;
  for (const Round& round : result.rounds) evaluations += round.exact_evaluations;
  CHECK(evaluations == kernel.exact_evaluations());
  CHECK(std::is_sorted(thresholds.rbegin(), thresholds.rend()));
  CHECK(thresholds.front() == 3e-2);
  CHECK(thresholds.back() == 1e-5);
}

TEST_CASE("a kernel's loop keeps the budget, ends at the tolerance asked for, and says what is out of reach") {
  const Path guess = true_path(60).array() + 0.15;
  KernelSurrogate<2, Corners<2>> poor(path_corners(), length(2));
  const auto spent = interleave(poor, solve, guess, {.schedule = path_schedule(), .budget = {.exact_evaluations = 7}});
  CHECK(spent.stop == InterleaveStop::budget_spent);
  CHECK(poor.exact_evaluations() == 7);

  KernelSurrogate<2, Corners<2>> all(path_corners(), length(0.3)), enough(path_corners(), length(0.3));
  KernelSchedule<Path> schedule = path_schedule();
  interleave(all, solve, guess, {.schedule = schedule});
  schedule.tolerance = 3e-2;
  const auto early = interleave(enough, solve, guess, {.schedule = schedule});
  CHECK(early.stop == InterleaveStop::converged);
  CHECK(enough.exact_evaluations() < all.exact_evaluations());
  CHECK((early.iterate - true_path(60)).cwiseAbs().maxCoeff() < 1e-2);

  Corners<2> coarse = path_corners();
  coarse.spacing = 1;
  KernelSurrogate<2, Corners<2>> stuck(coarse, length(1));
  const auto short_of = interleave(stuck, solve, guess, {.schedule = path_schedule()});
  CHECK(short_of.stop == InterleaveStop::out_of_reach);
  CHECK_THAT(short_of.message, Catch::Contains("no corner left"));
}

TEST_CASE("an iterate that keeps wandering uses up its rounds instead of looping for ever") {
  KernelSurrogate<2, Corners<2>> kernel(path_corners(), length(0.5));
  int solves = 0;
  const auto wander = [&](const KernelView<2>&, const Path& path) {
    ++solves;
    return SolverResult<Path>{.iterate = path.array() + 0.2, .cost = 0, .converged = true};
  };
  KernelSchedule<Path> schedule = path_schedule();
  schedule.stages = {{1e-2, 1e-1}};
  schedule.rounds_per_stage = 4;
  const auto result = interleave(kernel, wander, Path(Point<2>(-1, -1)), {.schedule = schedule});
  CHECK(solves == 4);
  CHECK(result.stop == InterleaveStop::out_of_reach);
  CHECK_THAT(result.message, Catch::Contains("used up"));
}

TEST_CASE("a schedule without points or stages is refused") {
  KernelSurrogate<2, Corners<2>> kernel(path_corners(), length(1));
  const Path guess = true_path(3);
  CHECK_THROWS_WITH(interleave(kernel, solve, guess, {}), Catch::Contains("KernelSchedule::points"));
  KernelSchedule<Path> schedule = path_schedule();
  schedule.stages.clear();
  CHECK_THROWS_WITH(interleave(kernel, solve, guess, {.schedule = schedule}), Catch::Contains("there are 0"));
}

TEST_CASE("a kernel refuses a grid with a period, which it does not know") {
  GridOptions<2> options;
  options.lower.setZero();
  options.upper.setConstant(2);
  options.periodic = {false, true};
  const AdaptiveGrid<2> grid(counted_waves<2>(new_calls(), 2), options);
  CHECK_THROWS_WITH((KernelSurrogate<2, GridView<2>>(grid.at_level(0))), Catch::Contains("a period along axis 1"));
}
