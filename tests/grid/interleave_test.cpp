// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/interleave.hpp"
#include "newton_on_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::test;

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
  AdaptiveGrid<2> grid(counted_residual(calls), half_spacing());
  std::vector<Point<2>> guesses, iterates;
  std::vector<int> levels;
  const auto solver = [&](const GridView<2>& map, const Point<2>& guess) {
    guesses.push_back(guess);
    levels.push_back(map.level());
    const auto result = newton(map, guess);
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
  AdaptiveGrid<2> grid(counted_residual(calls), half_spacing());
  std::vector<double> tolerances;
  const auto result = interleave(grid, newton, Point<2>(3, 2),
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
  AdaptiveGrid<2> grid(counted_residual(calls), half_spacing());
  Eigen::VectorXd y;
  grid.evaluate({9, 9}, y);  // cached before: not counted in this budget
  const auto result = interleave(grid, newton, Point<2>(3, 2),
                                 {.schedule = Levels{.first = 1, .last = 5}, .budget = {.exact_evaluations = 1}});
  CHECK(result.stop == InterleaveStop::budget_spent);
  CHECK(result.rounds.size() == 1);
  CHECK(result.rounds[0].level == 1);
  CHECK(grid.level() == 1);
  CHECK((result.iterate - root).norm() < 1e-2);
  CHECK(std::isnan(result.exact_cost));
  AdaptiveGrid<2> again(counted_residual(calls), half_spacing());
  const auto timed =
      interleave(again, newton, Point<2>(3, 2), {.schedule = Levels{.last = 5}, .budget = {.seconds = 0}});
  CHECK(timed.stop == InterleaveStop::budget_spent);
  CHECK(timed.rounds.size() == 1);
}

TEST_CASE("it stops where surrogate and exact cost agree as asked") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  int checks = 0;
  const auto check = [&](const Point<2>& x) {
    ++checks;
    return exact_cost(x);
  };
  const auto result = interleave(grid, newton, Point<2>(3, 2),
                                 {.schedule = Levels{.last = 9}, .exact_check = check, .accuracy = 1e-12});
  CHECK(result.stop == InterleaveStop::accuracy_reached);
  CHECK(result.rounds.size() < 9);
  CHECK(result.rounds.size() > 1);
  CHECK(checks == static_cast<int>(result.rounds.size()));
  CHECK(std::abs(result.cost - result.exact_cost) <= 1e-12);
  CHECK(std::abs(result.rounds[0].cost - result.rounds[0].exact_cost) > 1e-12);
}

TEST_CASE("the observer sees every round and may stop") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  std::vector<int> seen;
  const auto result =
      interleave(grid, newton, Point<2>(3, 2),
                 {.schedule = Levels{.last = 5}, .observer = [&](const Round& round, const Point<2>& x) {
                    seen.push_back(round.level);
                    CHECK((x - root).norm() < 1e-2);
                    return round.level < 2;
                  }});
  CHECK(result.stop == InterleaveStop::stopped_by_observer);
  CHECK(seen == std::vector<int>{0, 1, 2});
}

TEST_CASE("a solver that throws ends the loop with its message and the last iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto result = interleave(grid,
                                 [](const GridView<2>& map, const Point<2>& guess) {
                                   if (map.level() == 2) throw std::runtime_error("singular step");
                                   return newton(map, guess);
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
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto failing = [](const GridView<2>&, const Point<2>&) -> SolverResult<Point<2>> {
    throw std::runtime_error("no start");
  };
  const auto result = interleave(grid, failing, Point<2>(3, 2), {});
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK(result.iterate == Point<2>(3, 2));
  CHECK(std::isnan(result.cost));
}

TEST_CASE("an exact check that throws does not cost the iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto no_answer = [](const Point<2>&) -> double { throw std::runtime_error("no equilibrium"); };
  for (const double accuracy : {0.0, 1e-3}) {
    const auto result = interleave(grid, newton, Point<2>(3, 2),
                                   {.schedule = Levels{.first = grid.level(), .last = grid.level() + 1},
                                    .exact_check = no_answer,
                                    .accuracy = accuracy});
    CHECK(result.iterate != Point<2>(3, 2));
    CHECK(result.message == "exact_check: no equilibrium");
    CHECK(std::isnan(result.exact_cost));
    CHECK(result.rounds.size() == (accuracy > 0 ? 1u : 2u));
    CHECK(result.stop == (accuracy > 0 ? InterleaveStop::check_failed : InterleaveStop::converged));
  }
}

TEST_CASE("a last solve that did not converge is called that") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto lazy = [](const GridView<2>& map, const Point<2>& guess) {
    SolverResult<Point<2>> result = newton(map, guess);
    result.converged = map.level() == 0;
    return result;
  };
  const auto result = interleave(grid, lazy, Point<2>(3, 2), {.schedule = Levels{.last = 1}});
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK(result.message.empty());
}

TEST_CASE("schedules that the grid cannot follow are refused with the numbers") {
  GridOptions<2> options = half_spacing();
  options.deepest_level = 3;
  AdaptiveGrid<2> grid(counted_residual(new_calls()), options);
  grid.refine();
  const auto refused = [&](Levels levels) {
    CHECK_THROWS_AS(interleave(grid, newton, Point<2>(3, 2), {.schedule = levels}), std::invalid_argument);
  };
  refused({.first = 0, .last = 2});
  refused({.first = 2, .last = 1});
  refused({.first = 1, .last = 4});
  CHECK_THROWS_WITH(interleave(grid, newton, Point<2>(3, 2), {.schedule = Levels{.first = 1, .last = 4}}),
                    Catch::Contains("levels 1..4") && Catch::Contains("at level 1") && Catch::Contains("up to 3"));
  CHECK_THROWS_WITH(interleave(grid, newton, Point<2>(3, 2), {.schedule = Levels{1, 1}, .accuracy = 0.1}),
                    Catch::Contains("needs an exact_check"));
  CHECK_THROWS_WITH(interleave(grid, newton, Point<2>(3, 2), {.schedule = Tolerances{.first = 1e-4, .last = 1e-3}}),
                    Catch::Contains("from 1e-04"));
  CHECK_THROWS_WITH(interleave(grid, newton, Point<2>(3, 2), {.schedule = Tolerances{.factor = 1}}),
                    Catch::Contains("factor = 1 must be above 1"));
  CHECK(grid.level() == 1);
}

TEST_CASE("an interruption ends the loop wherever it comes from, and keeps the last iterate") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  int solves = 0;
  const auto solver = [&](const GridView<2>& map, const Point<2>& guess) {
    if (++solves == 2) throw Interrupted("a key was pressed");
    return newton(map, guess);
  };
  const auto result = interleave(grid, solver, Point<2>(0, 0), {.schedule = Levels{.first = 0, .last = 2}});
  CHECK(result.stop == InterleaveStop::interrupted);
  CHECK(std::string(to_string(result.stop)) == "interrupted");
  CHECK(result.message == "a key was pressed");
  CHECK(result.rounds.size() == 1);
  CHECK((result.iterate - root).norm() < 0.1);
}

TEST_CASE("a grid to a tolerance can be planned on by levels, and keeps its tolerance") {
  GridOptions<2> options = half_spacing();
  options.tolerance = 1e-3;
  AdaptiveGrid<2> grid(counted_residual(new_calls()), options);
  const auto result = interleave(grid, [](const GridView<2>& map, const Point<2>& x) { return newton(map, x); },
                                 Point<2>(0, 0), {.schedule = Levels{.first = 0, .last = 2}});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(result.rounds.size() == 3);
  CHECK(result.rounds.back().level == 2);
  CHECK(grid.tolerance() == 1e-3);
}
