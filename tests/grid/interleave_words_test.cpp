// SPDX-License-Identifier: BSD-3-Clause
// What interleave says of solvers whose answers are none, and of options that mean nothing.
#include "newton_on_grid.hpp"
#include "quoin/grid/interleave.hpp"
#include "quoin/kernel/interleave.hpp"
#include "testing/drawn.hpp"
#include "testing/refused_options.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN(), inf_ = std::numeric_limits<double>::infinity();

struct PlanWithNote {
  Eigen::VectorXd controls;
  std::string note;
  bool all_finite() const { return controls.allFinite(); }
};

/// Iterates of one kind, made of three numbers; without(): of fewer, if their size can be seen.
template <class Iterate>
struct IterateOf;
template <>
struct IterateOf<Eigen::VectorXd> {
  static Eigen::VectorXd make(const Eigen::Vector3d& x) { return x; }
  static Eigen::Vector3d numbers(const Eigen::VectorXd& x) { return x; }
  static std::optional<Eigen::VectorXd> shorter() { return Eigen::VectorXd::Zero(2); }
};
template <>
struct IterateOf<Eigen::MatrixXd> {
  static Eigen::MatrixXd make(const Eigen::Vector3d& x) { return x.transpose(); }
  static Eigen::Vector3d numbers(const Eigen::MatrixXd& x) { return x.row(0); }
  static std::optional<Eigen::MatrixXd> shorter() { return Eigen::MatrixXd::Zero(2, 3); }
};
template <>
struct IterateOf<std::vector<double>> {
  static std::vector<double> make(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }
  static Eigen::Vector3d numbers(const std::vector<double>& x) { return {x[0], x[1], x[2]}; }
  static std::optional<std::vector<double>> shorter() { return std::vector<double>(); }
};
template <>
struct IterateOf<Point<3>> {
  static Point<3> make(const Eigen::Vector3d& x) { return x; }
  static Eigen::Vector3d numbers(const Point<3>& x) { return x; }
  static std::optional<Point<3>> shorter() { return std::nullopt; }
};
using Waypoints = std::vector<std::pair<double, Eigen::VectorXd>>;
template <>
struct IterateOf<Waypoints> {
  static Waypoints make(const Eigen::Vector3d& x) { return {{0, Eigen::VectorXd()}, {x[0], x.tail(2)}}; }
  static Eigen::Vector3d numbers(const Waypoints& x) { return {x[1].first, x[1].second[0], x[1].second[1]}; }
  static std::optional<Waypoints> shorter() { return std::nullopt; }
};
template <>
struct IterateOf<PlanWithNote> {
  static PlanWithNote make(const Eigen::Vector3d& x) { return {x, "a plan"}; }
  static Eigen::Vector3d numbers(const PlanWithNote& x) { return x.controls; }
  static std::optional<PlanWithNote> shorter() { return std::nullopt; }
};

/// A solver of one iterate a round that, in one of its rounds, answers what is no answer.
template <class Iterate>
struct FaultySolver {
  std::mt19937& random;
  int faulty_round;
  bool in_polish = false;
  int rounds = 0;
  std::optional<Iterate> last = {};  // that could be one
  double last_cost = nan_;
  std::string fault = {};

  SolverResult<Iterate> operator()() {
    using Of = IterateOf<Iterate>;
    const auto draw = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
    std::uniform_real_distribution number(-2., 2.);
    Eigen::Vector3d x(number(random), number(random), number(random));
    double cost = number(random);
    const bool converged = draw(4) > 0;
    std::optional<Iterate> iterate;
    if (rounds++ == faulty_round) {
      const double bad = draw(3) == 0 ? nan_ : draw(2) ? inf_ : -inf_;
      const int kind = draw(4);
      if (kind == 0) cost = draw(2) ? nan_ : -inf_;
      if (kind == 1 || kind == 3) x[draw(3)] = bad;
      if (kind == 3) cost = nan_;
      if (kind == 2) iterate = Of::shorter();
      if (kind == 2 && !iterate) cost = nan_;
      fault = kind == 0 || (kind == 2 && !iterate) ? "cost" : kind == 2 ? "numbers" : "finite";
    }
    if (!iterate) iterate = Of::make(x);
    if (fault.empty()) last = iterate, last_cost = cost;
    return {.iterate = *iterate, .cost = cost, .converged = converged};
  }
};

template <class Iterate>
void expect_last_good(const InterleaveResult<Iterate>& result, const FaultySolver<Iterate>& solver,
                      const Iterate& guess) {
  using Of = IterateOf<Iterate>;
  CHECK(result.stop == InterleaveStop::solver_failed);
  CHECK_THAT(result.message, Catch::Contains(solver.fault));
  CHECK(Of::numbers(result.iterate) == Of::numbers(solver.last.value_or(guess)));
  CHECK((result.cost == solver.last_cost || (std::isnan(result.cost) && std::isnan(solver.last_cost))));
  REQUIRE(result.rounds.size() == static_cast<std::size_t>(solver.rounds));
  CHECK(solver.rounds == solver.faulty_round + 1);
  CHECK_FALSE(result.rounds.back().converged);
}

template <class Iterate>
void try_faulty_solvers(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  CAPTURE(seed);
  const Iterate guess = IterateOf<Iterate>::make({0.1, 0.2, 0.3});
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const int last = draw(4), kind = draw(3);
  FaultySolver<Iterate> solver{.random = random, .faulty_round = draw(last + 1)};
  if (kind == 0) {
    const auto solve = [&](const GridView<2>&, const Iterate&) { return solver(); };
    expect_last_good(interleave(grid, solve, guess, {.schedule = Levels{.last = last}}), solver, guess);
  } else if (kind == 1) {  // in a polish, the last of the rounds
    solver.faulty_round = last + 1;
    const auto solve = [&](const GridView<2>&, const Iterate&) { return solver(); };
    const auto polish = [&](const Iterate&) { return solver(); };
    const auto result = interleave(grid, solve, guess, {.schedule = Levels{.last = last}, .polish = polish});
    expect_last_good(result, solver, guess);
  } else {
    KernelSurrogate<2, GridView<2>> kernel(grid.at_level(2));
    // Points that keep moving far ask for samples in every round.
    std::uniform_real_distribution coordinate(-20., 20.);
    KernelSchedule<Iterate> schedule{.points = [&](const Iterate&) {
      return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(2, 3, [&] { return coordinate(random); }));
    }};
    const auto solve = [&](const KernelView<2>&, const Iterate&) { return solver(); };
    expect_last_good(interleave(kernel, solve, guess, {.schedule = schedule}), solver, guess);
  }
}

}  // namespace

TEST_CASE("a solver that answers what is no answer has failed, and the last answer before it is what is left") {
  const int draws = draws_wanted(20);
  for (unsigned seed = seed_wanted(); seed < seed_wanted() + draws; ++seed) {
    try_faulty_solvers<Eigen::VectorXd>(seed);
    try_faulty_solvers<Eigen::MatrixXd>(seed);
    try_faulty_solvers<std::vector<double>>(seed);
    try_faulty_solvers<Point<3>>(seed);
    try_faulty_solvers<Waypoints>(seed);
    try_faulty_solvers<PlanWithNote>(seed);
  }
}

TEST_CASE("a cost of infinity is that of an iterate that is not allowed: kept, handed on, and never converged") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  for (const bool at_the_end : {false, true}) {
    CAPTURE(at_the_end);
    const auto solve = [&](const GridView<2>& map, const Point<2>& guess) {
      SolverResult<Point<2>> result = newton(map, guess);
      if ((map.level() == 2) == at_the_end) result.cost = inf_;
      return result;
    };
    const auto result = interleave(grid, solve, Point<2>(3, 2), {.schedule = Levels{.first = grid.level(), .last = 2}});
    CHECK(result.stop == (at_the_end ? InterleaveStop::solver_failed : InterleaveStop::converged));
    CHECK(result.rounds.back().converged == !at_the_end);
    CHECK(std::isinf(result.cost) == at_the_end);
    CHECK(result.message == (at_the_end ? "the solver's cost is inf" : ""));
    CHECK((result.iterate - root).norm() < 1e-3);
  }
}

TEST_CASE("a solver without a cost converges, and no cost is told") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto solve = [](const GridView<2>& map, const Point<2>& guess) {
    return SolverResult<Point<2>>{.iterate = newton(map, guess).iterate, .converged = true};
  };
  const auto result = interleave(grid, solve, Point<2>(3, 2), {.schedule = Levels{.last = 1}});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(std::isnan(result.cost));
}

TEST_CASE("an empty guess is none: the iterates have what size they like") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  const auto solve = [](const GridView<2>& map, const Eigen::VectorXd&) {
    return SolverResult<Eigen::VectorXd>{
        .iterate = Eigen::VectorXd::Zero(map.level() + 1), .cost = 0, .converged = true};
  };
  const auto result = interleave(grid, solve, Eigen::VectorXd(), {.schedule = Levels{.last = 2}});
  CHECK(result.stop == InterleaveStop::converged);
  CHECK(result.iterate.size() == 3);
}

TEST_CASE("options of interleave that mean nothing are refused with their name before the solver is called") {
  AdaptiveGrid<2> grid(counted_residual(new_calls()), half_spacing());
  KernelSurrogate<2, GridView<2>> kernel(grid.at_level(2));
  const auto never = [](const auto&, const Point<2>&) -> SolverResult<Point<2>> { throw std::logic_error("called"); };
  const Point<2> guess(0.1, 0.2);

  using OnGrid = InterleaveOptions<Point<2>, GridSchedule<2, Point<2>>>;
  const auto with_check = [](const Point<2>& x) { return exact_cost(x); };
  RefusedOptions("interleave", OnGrid{.exact_check = with_check}, [&](const OnGrid& o) {
    interleave(grid, never, guess, o);
  }).not_negative("accuracy", [](OnGrid& o) -> double& {
      return o.accuracy;
    }).not_negative("budget.seconds", [](OnGrid& o) -> double& { return o.budget.seconds; });
  using Until = LevelsUntil<2, Point<2>>;
  const Until until{.errors = [](const GridView<2>&, const Point<2>&) { return Answer{}; }};
  RefusedOptions("interleave", until, [&](const Until& u) {
    interleave(grid, never, guess, {.schedule = u});
  }).positive("tolerance", [](Until& u) -> double& {
      return u.tolerance;
    }).positive("jacobian_tolerance", [](Until& u) -> double& { return u.jacobian_tolerance; });
  RefusedOptions("interleave", Tolerances{},
                 [&](const Tolerances& t) { interleave(grid, never, guess, {.schedule = t}); })
      .positive("first", [](Tolerances& t) -> double& { return t.first; })
      .positive("last", [](Tolerances& t) -> double& { return t.last; })
      .positive("factor", [](Tolerances& t) -> double& { return t.factor; });

  using OnKernel = KernelSchedule<Point<2>>;
  RefusedOptions("interleave", OnKernel{.points = [](const Point<2>& x) { return Eigen::MatrixXd(x); }},
                 [&](const OnKernel& s) { interleave(kernel, never, guess, {.schedule = s}); })
      .not_negative("tolerance", [](OnKernel& s) -> double& { return s.tolerance; })
      .not_negative("jacobian_tolerance", [](OnKernel& s) -> double& { return s.jacobian_tolerance; })
      .positive("rounds_per_stage", [](OnKernel& s) -> int& { return s.rounds_per_stage; })
      .positive("stages[3]", [](OnKernel& s) -> double& { return s.stages[3].value; })
      .positive("stages[2]", [](OnKernel& s) -> double& { return s.stages[2].gradient; });
  CHECK(kernel.exact_evaluations() == 0);

  CHECK_THROWS_WITH(interleave(grid, never, Point<2>(nan_, 0), {}), Catch::Contains("guess"));
  CHECK_THROWS_WITH(interleave(grid, never, Point<2>(0, -inf_), {}), Catch::Contains("guess"));
}
