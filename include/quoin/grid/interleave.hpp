// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/adaptive_grid.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin {

/// Solve on levels first, first + 1, ..., last.
struct Levels {
  int first = 0;
  int last = 0;
};

/// The paper's schedule: level 0 has this spacing, and R = ceil(log2(spacing / threshold)) refinements follow
/// (Jia, Pan, Manocha 2019, section IV-C; 0.5 and 0.2 give R = 2, three solves).
inline Levels levels_for(double spacing, double threshold) {
  if (!(spacing > 0) || !(threshold > 0) || !std::isfinite(spacing / threshold))
    throw std::invalid_argument("levels_for: spacing " + std::to_string(spacing) + " and threshold " +
                                std::to_string(threshold) + " must be positive");
  return {.first = 0, .last = std::max(0, static_cast<int>(std::ceil(std::log2(spacing / threshold))))};
}

/// What an optimizer returns from one solve on a view of the grid.
template <class Iterate>
struct SolverResult {
  Iterate iterate;
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< on the surrogate
  bool converged = false;
};

/// One solve.
struct Round {
  int level = 0;
  double cost = std::numeric_limits<double>::quiet_NaN();        ///< on the surrogate of this level
  double exact_cost = std::numeric_limits<double>::quiet_NaN();  ///< NaN if it was not asked for after this round
  bool converged = false;
  std::size_t exact_evaluations = 0;  ///< corners that this round added
  double seconds = 0;                 ///< of the solve, the exact check not counted
};

enum class InterleaveStop {
  converged,         ///< the schedule is done and the last solve converged
  accuracy_reached,  ///< surrogate and exact cost agree as asked
  budget_spent,      ///< before the next round
  solver_failed,     ///< the last solve did not converge, or threw: see `message`
  stopped_by_observer
};

constexpr const char* to_string(InterleaveStop stop) {
  switch (stop) {
    case InterleaveStop::converged: return "converged";
    case InterleaveStop::accuracy_reached: return "accuracy reached";
    case InterleaveStop::budget_spent: return "budget spent";
    case InterleaveStop::solver_failed: return "solver failed";
    case InterleaveStop::stopped_by_observer: return "stopped by observer";
  }
  return "unknown";
}

/// Checked between rounds.
struct InterleaveBudget {
  std::size_t exact_evaluations = std::numeric_limits<std::size_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

template <class Iterate>
struct InterleaveOptions {
  Levels schedule;
  /// The cost of an iterate on the exact function. Called on the last iterate; after every round if `accuracy` is set.
  std::function<double(const Iterate&)> exact_check = {};
  /// Stop as soon as |cost - exact cost| is at most this; 0: never for this reason.
  double accuracy = 0;
  InterleaveBudget budget = {};
  /// Told of every round; returns false to stop.
  std::function<bool(const Round&, const Iterate&)> observer = {};
};

template <class Iterate>
struct InterleaveResult {
  Iterate iterate;  ///< of the last solve that returned one, or the guess
  double cost = std::numeric_limits<double>::quiet_NaN();
  double exact_cost = std::numeric_limits<double>::quiet_NaN();  ///< NaN without exact_check
  InterleaveStop stop = InterleaveStop::converged;
  std::string message = {};  ///< what the solver or exact_check threw
  std::vector<Round> rounds = {};
};

/// Algorithm 1 of Jia, Pan, Manocha 2019: any optimizer, interleaved with refinement of the grid. Each solve sees an
/// immutable view of one level and starts from the last result; coarse levels do the exploring, at few corners, and
/// each finer one moves the result only slightly, so that few new corners are met.
///
///   auto solve = [&](const quoin::GridView<4>& map, const Plan& guess) {
///     ...
///     return quoin::SolverResult<Plan>{.iterate = plan, .cost = cost, .converged = true};
///   };
///   auto result = quoin::interleave(grid, solve, guess, {.schedule = quoin::levels_for(0.5, 0.2)});
///
/// The grid is left at the last level solved. An exception of the solver ends the loop with solver_failed, one of
/// exact_check ends it as well; the last iterate is kept. Throws std::invalid_argument for a schedule that the grid cannot follow.
template <int Dim, class Iterate, class Solver>
InterleaveResult<Iterate> interleave(AdaptiveGrid<Dim>& grid, Solver&& solver, Iterate guess,
                                     const std::type_identity_t<InterleaveOptions<Iterate>>& options = {}) {
  const auto [first, last] = options.schedule;
  if (first < grid.level() || last < first || last > grid.options().deepest_level)
    throw std::invalid_argument("interleave: levels " + std::to_string(first) + ".." + std::to_string(last) +
                                " of a grid that is at level " + std::to_string(grid.level()) +
                                " and has levels up to " + std::to_string(grid.options().deepest_level));
  if (options.accuracy > 0 && !options.exact_check)
    throw std::invalid_argument("interleave: accuracy " + std::to_string(options.accuracy) + " needs an exact_check");

  const auto start = std::chrono::steady_clock::now();
  const auto seconds_since = [](auto then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
  };
  const std::size_t evaluations_before = grid.statistics().exact_evaluations;

  InterleaveResult<Iterate> result{.iterate = std::move(guess)};
  // The exact function may have no answer where the surrogate has one: that must not cost the iterate.
  const auto check_exactly = [&](Round& round) {
    try {
      result.exact_cost = round.exact_cost = options.exact_check(result.iterate);
    } catch (const std::exception& error) {
      result.message = std::string("exact_check: ") + error.what();
    }
  };
  for (int level = first; level <= last; ++level) {
    const std::size_t evaluations = grid.statistics().exact_evaluations;
    if (level > first && (evaluations - evaluations_before >= options.budget.exact_evaluations ||
                          seconds_since(start) >= options.budget.seconds)) {
      result.stop = InterleaveStop::budget_spent;
      break;
    }
    while (grid.level() < level) grid.refine();

    Round round{.level = level};
    const auto round_start = std::chrono::steady_clock::now();
    try {
      SolverResult<Iterate> solved = solver(grid.at_level(level), std::as_const(result.iterate));
      result.iterate = std::move(solved.iterate);
      result.cost = round.cost = solved.cost;
      round.converged = solved.converged;
      result.stop = solved.converged ? InterleaveStop::converged : InterleaveStop::solver_failed;
    } catch (const std::exception& error) {
      result.stop = InterleaveStop::solver_failed;
      result.message = error.what();
    }
    round.seconds = seconds_since(round_start);
    round.exact_evaluations = grid.statistics().exact_evaluations - evaluations;
    if (options.accuracy > 0 && result.message.empty()) check_exactly(round);
    result.rounds.push_back(round);

    if (!result.message.empty()) break;
    if (options.observer && !options.observer(result.rounds.back(), result.iterate)) {
      result.stop = InterleaveStop::stopped_by_observer;
      break;
    }
    if (options.accuracy > 0 && std::abs(round.cost - round.exact_cost) <= options.accuracy) {
      result.stop = InterleaveStop::accuracy_reached;
      break;
    }
  }
  if (options.exact_check && !(options.accuracy > 0) && !result.rounds.empty()) check_exactly(result.rounds.back());
  return result;
}

}  // namespace quoin
