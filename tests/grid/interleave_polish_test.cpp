// SPDX-License-Identifier: BSD-3-Clause
#include "newton_on_grid.hpp"
#include "quoin/grid/interleave.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

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
    AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
    return interleave(grid, newton, Point<2>(1, 1),
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
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto fails_later = [](const GridView<2>& view, const Point<2>& guess) {
    if (view.level() > 0) throw std::runtime_error("no step found");
    return newton(view, guess);
  };
  const auto mended =
      interleave(grid, fails_later, Point<2>(1, 1), {.schedule = Levels{.last = 2}, .polish = polish_by(1)});
  CHECK(mended.stop == InterleaveStop::converged);
  CHECK(mended.message == "no step found");
  CHECK(mended.iterate == true_root);

  AdaptiveGrid<2> other(counted_residual(new_calls()), half_spacing());
  const auto thrown =
      interleave(other, newton, Point<2>(1, 1),
                 {.schedule = Levels{.last = 1}, .polish = [](const Point<2>&) -> SolverResult<Point<2>> {
                    throw std::runtime_error("the truth has no answer");
                  }});
  CHECK(thrown.stop == InterleaveStop::solver_failed);
  CHECK(thrown.message == "the truth has no answer");
  CHECK((thrown.iterate - root).norm() < 0.02);

  AdaptiveGrid<2> third(counted_residual(new_calls()), half_spacing());
  const auto stopped =
      interleave(third, newton, Point<2>(1, 1),
                 {.schedule = Levels{.last = 2}, .polish = polish_by(1), .observer = [](const Round&, const Point<2>&) {
                    return false;
                  }});
  CHECK(stopped.stop == InterleaveStop::stopped_by_observer);
  CHECK(stopped.rounds.size() == 1);
}
