// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/interleave.hpp"
#include "support/functions.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

/// r(x) = 0 at root, without symmetry: a strictly monotone map of the plane.
const Point<2> root(0.37, -0.61);
Point<2> residual(const Point<2>& x) {
  const Point<2> d = x - root;
  return {2 * d[0] + std::sin(d[0] + 0.3 * d[1]), 1.5 * d[1] + 0.5 * std::tanh(d[0] - d[1])};
}

auto counted_residual(const Calls& calls) {
  return exact_function<2>(2, [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    ++*calls;
    const Point<2> r = residual(x);
    y << r[0], r[1];
    const Point<2> d = x - root;
    const double c = std::cos(d[0] + 0.3 * d[1]), t = std::tanh(d[0] - d[1]), s = 0.5 * (1 - t * t);
    J << 2 + c, 0.3 * c, s, 1.5 - s;
  });
}

/// Newton's method on a view.
SolverResult<Point<2>> solve(const GridView<2>& map, const Point<2>& guess) {
  Point<2> x = guess;
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  for (int n = 0; n < 50; ++n) {
    map.evaluate(x, r, J);
    if (r.norm() < 1e-13) return {.iterate = x, .cost = r.squaredNorm(), .converged = true};
    x -= Eigen::Matrix2d(J).inverse() * Point<2>(r);
  }
  return {.iterate = x, .cost = r.squaredNorm(), .converged = false};
}

double exact_cost(const Point<2>& x) { return residual(x).squaredNorm(); }

GridOptions<2> half() {
  GridOptions<2> options;
  options.spacing.setConstant(0.5);
  return options;
}

}  // namespace

TEST_CASE("the paper's schedule: spacing 0.5 and threshold 0.2 give two refinements") {
  const auto last = [](double spacing, double threshold) { return levels_for(spacing, threshold).last; };
  CHECK(levels_for(0.5, 0.2).first == 0);
  CHECK(last(0.5, 0.2) == 2);
  CHECK(last(0.5, 0.25) == 1);
  CHECK(last(0.5, 0.24999) == 2);
  CHECK(last(0.5, 0.5) == 0);
  CHECK(last(0.5, 3) == 0);
  for (int level = 0; level < 12; ++level)
    for (const double spacing : {0.1, 0.3, 0.7, 1.1, 2.3, 1e-7, 3e8}) {
      CAPTURE(level, spacing);
      CHECK(last(spacing, spacing * std::ldexp(1.0, -level)) == level);
    }
  CHECK_THROWS_WITH(levels_for(0, 0.2), Catch::Contains("spacing 0"));
  CHECK_THROWS_AS(levels_for(0.5, -1), std::invalid_argument);
  CHECK_THROWS_AS(levels_for(0.5, std::nan("")), std::invalid_argument);
}

TEST_CASE("interleaved solves approach the exact root at fourth order, each from the last result") {
  const Calls calls = new_calls();
  AdaptiveGrid<2> grid(counted_residual(calls), half());
  std::vector<Point<2>> guesses, iterates;
  std::vector<int> levels;
  const auto solver = [&](const GridView<2>& map, const Point<2>& guess) {
    guesses.push_back(guess);
    levels.push_back(map.level());
    const auto result = solve(map, guess);
    iterates.push_back(result.iterate);
    return result;
  };
  const Point<2> start(3, 2);
  const auto result =
      interleave(grid, solver, start, {.schedule = Levels{.first = 0, .last = 5}, .exact_check = exact_cost});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(levels == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(guesses[0] == start);
  for (int k = 1; k <= 5; ++k) CHECK(guesses[k] == iterates[k - 1]);
  CHECK(grid.level() == 5);
  CHECK(result.iterate == iterates.back());
  CHECK((iterates[0] - root).norm() < 1e-2);
  CHECK((result.iterate - root).norm() < 1e-7);
  CHECK((result.iterate - root).norm() < (iterates[0] - root).norm() * std::pow(2.0, -15));
  CHECK(result.exact_cost == exact_cost(result.iterate));
  REQUIRE(result.rounds.size() == 6);
  std::size_t evaluations = 0;
  for (const Round& round : result.rounds) {
    CHECK(round.converged);
    evaluations += round.exact_evaluations;
  }
  CHECK(evaluations == static_cast<std::size_t>(*calls));
  CHECK(std::isnan(result.rounds[0].exact_cost));
  CHECK(result.rounds[5].exact_cost == result.exact_cost);
}

TEST_CASE("a schedule of tolerances ends at the last one, each solve within reach of it") {
  const Calls calls = new_calls();
  AdaptiveGrid<2> grid(counted_residual(calls), half());
  std::vector<double> tolerances;
  const auto result = interleave(grid, solve, Point<2>(3, 2),
                                 {.schedule = Tolerances{.first = 1e-2, .last = 1e-6, .factor = 20},
                                  .observer = [&](const Round& round, const Point<2>& x) {
                                    tolerances.push_back(round.tolerance);
                                    CHECK((x - root).norm() < 10 * round.tolerance);
                                    return true;
                                  }});
  CHECK(result.stop == InterleaveStop::converged);
  REQUIRE(tolerances.size() == 5);
  CHECK(tolerances[0] == 1e-2);
  CHECK(tolerances[1] == Approx(5e-4));
  CHECK(tolerances[4] == 1e-6);
  std::size_t evaluations = 0;
  for (const Round& round : result.rounds) evaluations += round.exact_evaluations;
  CHECK(evaluations == static_cast<std::size_t>(*calls));
}

TEST_CASE("a budget of evaluations is checked before each round but the first, and keeps what there is") {
  const Calls calls = new_calls();
  AdaptiveGrid<2> grid(counted_residual(calls), half());
  Eigen::VectorXd y;
  grid.evaluate({9, 9}, y);  // cached before: not counted in this budget
  const auto result = interleave(grid, solve, Point<2>(3, 2),
                                 {.schedule = Levels{.first = 1, .last = 5}, .budget = {.exact_evaluations = 1}});
  CHECK(result.stop == InterleaveStop::budget_spent);
  CHECK(result.rounds.size() == 1);
  CHECK(result.rounds[0].level == 1);
  CHECK(grid.level() == 1);
  CHECK((result.iterate - root).norm() < 1e-2);
  CHECK(std::isnan(result.exact_cost));
  AdaptiveGrid<2> again(counted_residual(calls), half());
  const auto timed =
      interleave(again, solve, Point<2>(3, 2), {.schedule = Levels{.last = 5}, .budget = {.seconds = 0}});
  CHECK(timed.stop == InterleaveStop::budget_spent);
  CHECK(timed.rounds.size() == 1);
}

TEST_CASE("it stops where surrogate and exact cost agree as asked") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  int checks = 0;
  const auto check = [&](const Point<2>& x) {
    ++checks;
    return exact_cost(x);
  };
  const auto result =
      interleave(grid, solve, Point<2>(3, 2), {.schedule = Levels{.last = 9}, .exact_check = check, .accuracy = 1e-12});
  CHECK(result.stop == InterleaveStop::accuracy_reached);
  CHECK(result.rounds.size() < 9);
  CHECK(result.rounds.size() > 1);
  CHECK(checks == static_cast<int>(result.rounds.size()));
  CHECK(std::abs(result.cost - result.exact_cost) <= 1e-12);
  CHECK(std::abs(result.rounds[0].cost - result.rounds[0].exact_cost) > 1e-12);
}

TEST_CASE("levels go on until the map knows that it answers well enough along the iterate, and no further") {
  // Not at the iterate alone, which may lie where the error has a zero.
  const auto path = [](const Point<2>& x) {
    Eigen::MatrixXd points(2, 40);
    for (int i = 0; i < 40; ++i) points.col(i) = x + i / 39. * (Point<2>(1, 1) - x);
    return points;
  };
  const auto errors = [&](const GridView<2>& view, const Point<2>& x) { return view.error_along(path(x)); };
  int last_level = 0;
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    CAPTURE(tolerance);
    AdaptiveGrid<2> grid(counted_residual(new_calls()), {.spacing = {4, 4}});
    const auto result = interleave(grid, solve, Point<2>(1, 1),
                                   {.schedule = LevelsUntil<2, Point<2>>{.errors = errors, .tolerance = tolerance}});
    REQUIRE(result.stop == InterleaveStop::converged);
    const int level = result.rounds.back().level;
    CHECK(level > last_level);
    last_level = level;
    double largest = 0;
    const Eigen::MatrixXd points = path(result.iterate);
    Eigen::VectorXd y;
    for (int i = 0; i < points.cols(); ++i) {
      const Point<2> x = points.col(i);
      grid.at_level(level).evaluate(x, y);
      largest = std::max(largest, (y - Eigen::VectorXd(residual(x))).norm() / std::sqrt(2.));
    }
    CHECK(largest <= 2 * tolerance);
    CHECK(largest > tolerance / 64);  // a level is a factor of 16, the estimate right to one of two
  }
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto result =
      interleave(grid, solve, Point<2>(1, 1),
                 {.schedule = LevelsUntil<2, Point<2>>{.errors = errors, .tolerance = 1e-12, .last = 3}});
  CHECK(result.stop == InterleaveStop::out_of_reach);
  CHECK_THAT(result.message, Catch::Contains("on level 3, the last; asked were 1e-12"));
  CHECK(result.rounds.size() == 4);
  CHECK_THROWS_WITH(interleave(grid, solve, Point<2>(1, 1), {.schedule = LevelsUntil<2, Point<2>>{.tolerance = 1}}),
                    Catch::Contains("LevelsUntil needs `errors`"));
}

TEST_CASE("the error along points is right to a factor of two from three levels, cautious from two, unknown from one") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  Eigen::MatrixXd X(2, 100);
  for (int i = 0; i < 100; ++i) X.col(i) << 0.1 + 0.016 * i, 0.9 * std::sin(0.08 * i);
  const auto exact = counted_residual(new_calls());
  const auto largest_errors = [&](int level) {
    Answer most{.error = 0, .jacobian_error = 0};
    Eigen::VectorXd y, truth;
    Eigen::MatrixXd J, jacobian;
    for (int i = 0; i < 100; ++i) {
      const Point<2> x = X.col(i);
      grid.at_level(level).evaluate(x, y, J);
      exact.evaluate(x, truth, jacobian);
      most.error = std::max(most.error, (y - truth).norm() / std::sqrt(2.));
      most.jacobian_error = std::max(most.jacobian_error, (J - jacobian).colwise().norm().maxCoeff() / std::sqrt(2.));
    }
    return most;
  };
  CHECK(grid.at_level(0).error_along(X).trust == Trust::unchecked);
  for (int level = 1; level <= 4; ++level) {
    CAPTURE(level);
    const Answer truth = largest_errors(level);
    const Answer said = grid.at_level(level).error_along(X);
    CHECK(said.trust == (level == 1 ? Trust::estimated : Trust::indicated));
    CHECK(said.error < (level == 1 ? 50 : 2) * truth.error);
    CHECK(said.jacobian_error < (level == 1 ? 50 : 2) * truth.jacobian_error);
    CHECK(said.error > 0.5 * truth.error);
    CHECK(said.jacobian_error > 0.5 * truth.jacobian_error);
  }
  CHECK_THROWS_AS(grid.at_level(2).error_along(Eigen::MatrixXd::Zero(3, 1)), std::invalid_argument);
}

namespace {

/// Where the truth's cost is least: another model than the grid's.
const Point<2> true_root(0.5, -0.5);
double true_cost(const Point<2>& x) { return (x - true_root).squaredNorm(); }

/// Goes the given part of the way to it.
auto polish_by(double part) {
  return [part](const Point<2>& x) {
    const Point<2> now = x + part * (true_root - x);
    return SolverResult<Point<2>>{
        .iterate = now, .cost = true_cost(now), .converged = part == 1, .exact_evaluations = 7};
  };
}

}  // namespace

TEST_CASE("a polish continues on a truer model, and its record says what it cost and gained") {
  const auto run = [](double part, int last) {
    AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
    return interleave(grid, solve, Point<2>(1, 1),
                      {.schedule = Levels{.last = last}, .exact_check = true_cost, .polish = polish_by(part)});
  };
  const auto whole = run(1, 2), half_way = run(0.5, 2);
  CHECK(whole.stop == InterleaveStop::converged);
  CHECK(half_way.stop == InterleaveStop::polish_ended);
  for (const auto& result : {whole, half_way}) {
    REQUIRE(result.rounds.size() == 4);
    const Round& before = result.rounds[2];
    const Round& polish = result.rounds[3];
    CHECK_FALSE(before.polish);
    CHECK(polish.polish);
    CHECK(before.exact_cost == Approx((root - true_root).squaredNorm()).epsilon(1e-3));
    CHECK(polish.exact_cost == polish.cost);
    CHECK(result.cost == polish.cost);
    CHECK(result.exact_cost == true_cost(result.iterate));
    CHECK(polish.exact_evaluations == 7);
  }
  CHECK(whole.exact_cost == 0);
  CHECK(half_way.exact_cost == Approx(half_way.rounds[2].exact_cost / 4));
}

TEST_CASE("a polish runs after a failed round, not after the observer's stop, and what it throws loses no iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto fails_later = [](const GridView<2>& view, const Point<2>& guess) {
    if (view.level() > 0) throw std::runtime_error("no step found");
    return solve(view, guess);
  };
  const auto mended =
      interleave(grid, fails_later, Point<2>(1, 1), {.schedule = Levels{.last = 2}, .polish = polish_by(1)});
  CHECK(mended.stop == InterleaveStop::converged);
  CHECK(mended.message == "no step found");
  CHECK(mended.iterate == true_root);

  AdaptiveGrid<2> other(counted_residual(new_calls()), half());
  const auto thrown =
      interleave(other, solve, Point<2>(1, 1),
                 {.schedule = Levels{.last = 1}, .polish = [](const Point<2>&) -> SolverResult<Point<2>> {
                    throw std::runtime_error("the truth has no answer");
                  }});
  CHECK(thrown.stop == InterleaveStop::solver_failed);
  CHECK(thrown.message == "the truth has no answer");
  CHECK((thrown.iterate - root).norm() < 0.02);

  AdaptiveGrid<2> third(counted_residual(new_calls()), half());
  const auto stopped =
      interleave(third, solve, Point<2>(1, 1),
                 {.schedule = Levels{.last = 2}, .polish = polish_by(1), .observer = [](const Round&, const Point<2>&) {
                    return false;
                  }});
  CHECK(stopped.stop == InterleaveStop::stopped_by_observer);
  CHECK(stopped.rounds.size() == 1);
}

TEST_CASE("the observer sees every round and may stop") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  std::vector<int> seen;
  const auto result =
      interleave(grid, solve, Point<2>(3, 2),
                 {.schedule = Levels{.last = 5}, .observer = [&](const Round& round, const Point<2>& x) {
                    seen.push_back(round.level);
                    CHECK((x - root).norm() < 1e-2);
                    return round.level < 2;
                  }});
  CHECK(result.stop == InterleaveStop::stopped_by_observer);
  CHECK(seen == std::vector<int>{0, 1, 2});
}

TEST_CASE("a solver that throws ends the loop with its message and the last iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto result = interleave(grid,
                                 [](const GridView<2>& map, const Point<2>& guess) {
                                   if (map.level() == 2) throw std::runtime_error("singular step");
                                   return solve(map, guess);
                                 },
                                 Point<2>(3, 2), {.schedule = Levels{.last = 5}, .exact_check = exact_cost});
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK(result.message == "singular step");
  CHECK(result.rounds.size() == 3);
  CHECK_FALSE(result.rounds.back().converged);
  CHECK((result.iterate - root).norm() < 1e-3);
  CHECK(result.exact_cost == exact_cost(result.iterate));
}

TEST_CASE("the first solve may throw: the guess comes back") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto failing = [](const GridView<2>&, const Point<2>&) -> SolverResult<Point<2>> {
    throw std::runtime_error("no start");
  };
  const auto result = interleave(grid, failing, Point<2>(3, 2), {});
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK(result.iterate == Point<2>(3, 2));
  CHECK(std::isnan(result.cost));
}

TEST_CASE("an exact check that throws does not cost the iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto no_answer = [](const Point<2>&) -> double { throw std::runtime_error("no equilibrium"); };
  for (const double accuracy : {0.0, 1e-3}) {
    const auto result = interleave(grid, solve, Point<2>(3, 2),
                                   {.schedule = Levels{.first = grid.level(), .last = grid.level() + 1},
                                    .exact_check = no_answer,
                                    .accuracy = accuracy});
    CHECK(result.iterate != Point<2>(3, 2));
    CHECK(result.message == "exact_check: no equilibrium");
    CHECK(std::isnan(result.exact_cost));
    CHECK(result.rounds.size() == (accuracy > 0 ? 1u : 2u));
  }
}

TEST_CASE("a last solve that did not converge is called that") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  const auto lazy = [](const GridView<2>& map, const Point<2>& guess) {
    SolverResult<Point<2>> result = solve(map, guess);
    result.converged = map.level() == 0;
    return result;
  };
  const auto result = interleave(grid, lazy, Point<2>(3, 2), {.schedule = Levels{.last = 1}});
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK(result.message.empty());
}

TEST_CASE("schedules that the grid cannot follow are refused with the numbers") {
  GridOptions<2> options = half();
  options.deepest_level = 3;
  AdaptiveGrid<2> grid(counted_residual(new_calls()), options);
  grid.refine();
  const auto refused = [&](Levels levels) {
    CHECK_THROWS_AS(interleave(grid, solve, Point<2>(3, 2), {.schedule = levels}), std::invalid_argument);
  };
  refused({.first = 0, .last = 2});
  refused({.first = 2, .last = 1});
  refused({.first = 1, .last = 4});
  CHECK_THROWS_WITH(interleave(grid, solve, Point<2>(3, 2), {.schedule = Levels{.first = 1, .last = 4}}),
                    Catch::Contains("levels 1..4") && Catch::Contains("at level 1") && Catch::Contains("up to 3"));
  CHECK_THROWS_WITH(interleave(grid, solve, Point<2>(3, 2), {.schedule = Levels{1, 1}, .accuracy = 0.1}),
                    Catch::Contains("needs an exact_check"));
  CHECK_THROWS_WITH(interleave(grid, solve, Point<2>(3, 2), {.schedule = Tolerances{.first = 1e-4, .last = 1e-3}}),
                    Catch::Contains("from 1e-04"));
  CHECK_THROWS_WITH(interleave(grid, solve, Point<2>(3, 2), {.schedule = Tolerances{.factor = 1}}),
                    Catch::Contains("factor of 1"));
  CHECK(grid.level() == 1);
}

TEST_CASE("an interruption ends the loop wherever it comes from, and keeps the last iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half());
  int solves = 0;
  const auto solver = [&](const GridView<2>& map, const Point<2>& guess) {
    if (++solves == 2) throw Interrupted("a key was pressed");
    return solve(map, guess);
  };
  const auto result = interleave(grid, solver, Point<2>(0, 0), {.schedule = Levels{.first = 0, .last = 2}});
  CHECK(result.stop == InterleaveStop::interrupted);
  CHECK(std::string(to_string(result.stop)) == "interrupted");
  CHECK(result.message == "a key was pressed");
  CHECK(result.rounds.size() == 1);
  CHECK((result.iterate - root).norm() < 0.1);
}

TEST_CASE("a grid to a tolerance can be planned on by levels, and keeps its tolerance") {
  GridOptions<2> options = half();
  options.tolerance = 1e-3;
  AdaptiveGrid<2> grid(counted_residual(new_calls()), options);
  const auto result = interleave(grid, [](const GridView<2>& map, const Point<2>& x) { return solve(map, x); },
                                 Point<2>(0, 0), {.schedule = Levels{.first = 0, .last = 2}});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(result.rounds.size() == 3);
  CHECK(result.rounds.back().level == 2);
  CHECK(grid.tolerance() == 1e-3);
}
