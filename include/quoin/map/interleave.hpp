// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/errors.hpp"
#include "quoin/util/numbers_in.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// The result of one solve of an optimizer on a surrogate.
///
/// It is no result where a number of the iterate (NumbersIn) is NaN or infinite, the iterate has more or fewer numbers
/// than the guess, unless the guess had none, or the cost is NaN or -infinity: that solve has failed, as one that
/// throws.
template <class Iterate>
struct SolverResult {
  Iterate iterate;  ///< what the optimizer ended with, converged or not
  /// On the surrogate; of a polish, on its truer model. Infinity: the iterate is not allowed, and nothing has converged
  /// yet. Nothing: the optimizer knows no cost, as a search for a root.
  std::optional<double> cost = {};
  bool converged = false;             ///< by the optimizer's own rule
  std::size_t exact_evaluations = 0;  ///< that the solve made besides those of the surrogate, as a polish does
};

/// The record of one solve.
struct Round {
  int level = 0;                                                 ///< of a grid that is refined by levels
  double cost = std::numeric_limits<double>::quiet_NaN();        ///< on the surrogate of this round
  double exact_cost = std::numeric_limits<double>::quiet_NaN();  ///< NaN if not computed after this round
  bool converged = false;                                        ///< as the solver said, and its result can be one
  std::size_t exact_evaluations = 0;  ///< added by this round, in refinement and while solving
  double seconds = 0;                 ///< of refinement and solve, without exact checks
  /// The target of refinement: the tolerance of a grid, the threshold of a kernel; NaN by levels.
  double tolerance = std::numeric_limits<double>::quiet_NaN();
  bool polish = false;  ///< the last stage, on a truer model than the surrogate: its cost is on that model
};

/// Why interleave ended.
enum class InterleaveStop {
  converged,         ///< the schedule is done and the last solve converged
  accuracy_reached,  ///< surrogate and exact cost agree as asked
  budget_spent,      ///< before the next round
  solver_failed,     ///< the last solve did not converge, gave no result (SolverResult), or threw: see `message`
  stopped_by_observer,
  interrupted,   ///< the function or the solver threw Interrupted: see `message`; the iterate is the last round's
  out_of_reach,  ///< the schedule is done, the last solve converged, but the surrogate could not be refined as asked
  polish_ended,  ///< the polish returned its iterate before it converged, as one with a budget of iterations does
  check_failed   ///< exact_check threw before the schedule was done: see `message`
};

constexpr const char* to_string(InterleaveStop stop) {
  switch (stop) {
    case InterleaveStop::converged: return "converged";
    case InterleaveStop::accuracy_reached: return "accuracy reached";
    case InterleaveStop::budget_spent: return "budget spent";
    case InterleaveStop::solver_failed: return "solver failed";
    case InterleaveStop::stopped_by_observer: return "stopped by observer";
    case InterleaveStop::interrupted: return "interrupted";
    case InterleaveStop::out_of_reach: return "out of reach";
    case InterleaveStop::polish_ended: return "polish ended";
    case InterleaveStop::check_failed: return "check failed";
  }
  return "unknown";
}

/// Limits that are checked between rounds.
struct InterleaveBudget {
  /// In all; a round that has begun may exceed it.
  std::size_t exact_evaluations = std::numeric_limits<std::size_t>::max();
  double seconds = std::numeric_limits<double>::infinity();  ///< of wall time, without exact checks
};

/// Schedule: how the surrogate is refined from round to round; GridSchedule for a grid, KernelSchedule for a kernel.
template <class Iterate, class Schedule>
struct InterleaveOptions {
  Schedule schedule = {};  ///< how finely, and until when
  /// The cost of an iterate on the exact function. Called on the last iterate, and on that before the polish; after
  /// every round if `accuracy` is set.
  std::function<double(const Iterate&)> exact_check = {};
  /// Stop as soon as |cost - exact cost| is at most this; 0: never for this reason.
  double accuracy = 0;
  InterleaveBudget budget = {};  ///< unlimited unless set
  /// A last stage, on a truer model than the one that was tabulated: any solver on any dynamics, from the schedule's
  /// last iterate. Its own solver brings its budget and keeps its constraints; what else it may start from, such as
  /// multipliers, is part of the iterate or known to it. Runs however the schedule ended, unless interrupted or stopped
  /// by the observer; its record is the last round.
  std::function<SolverResult<Iterate>(const Iterate&)> polish = {};
  /// The points (dim x M) at which a solve that starts from an iterate will ask the surrogate: it is told before each
  /// solve (GridView::hint), so that a finer level is evaluated along the last result in one batch.
  std::function<Eigen::MatrixXd(const Iterate&)> points = {};
  /// Called after every round; returns false to stop.
  std::function<bool(const Round&, const Iterate&)> observer = {};
};

/// What interleave ended with, and the records of its rounds.
template <class Iterate>
struct InterleaveResult {
  Iterate iterate;  ///< of the last solve that gave a result, or the guess
  /// Of this iterate, on the surrogate of its round; of a polish, on its truer model. NaN if the solver told none.
  double cost = std::numeric_limits<double>::quiet_NaN();
  double exact_cost = std::numeric_limits<double>::quiet_NaN();  ///< NaN without exact_check
  InterleaveStop stop = InterleaveStop::converged;               ///< why it ended
  /// What the solver or exact_check threw, what is wrong with the solver's result, or what the surrogate could not do.
  std::string message = {};
  std::vector<Round> rounds = {};  ///< one for each solve, the polish included
};

/// The outcome of preparing a surrogate for the next round.
enum class Advance {
  ready,       ///< the next solve may begin
  done,        ///< the schedule is done: nothing is left to solve
  over_budget  ///< there is more to do, and no evaluation is allowed for it
};

namespace detail {

inline std::string what_is_wrong(std::optional<double> cost) {
  const bool is_cost = !cost || *cost > -std::numeric_limits<double>::infinity();
  return is_cost ? "" : "the solver's cost is " + to_text(*cost);
}

/// Why this is no result of a solver: empty if it is one. numbers: of the guess.
template <class Iterate>
std::string what_is_wrong(const SolverResult<Iterate>& result, std::size_t numbers) {
  using Numbers = NumbersIn<Iterate>;
  if (!Numbers::all_finite(result.iterate)) return "the solver's iterate is not finite";
  if (const std::size_t has = Numbers::count(result.iterate); numbers > 0 && has != numbers)
    return "the solver's iterate has " + to_text(has) + " numbers, the guess " + to_text(numbers);
  return what_is_wrong(result.cost);
}

template <class Iterate, class Schedule>
void check(const InterleaveOptions<Iterate, Schedule>& options, const Iterate& guess) {
  const OptionsOf of{"interleave"};
  of.not_negative("accuracy", options.accuracy);
  of.not_negative("budget.seconds", options.budget.seconds);
  if (options.accuracy > 0 && !options.exact_check)
    throw std::invalid_argument("interleave: accuracy " + to_text(options.accuracy) + " needs an exact_check");
  if (!NumbersIn<Iterate>::all_finite(guess)) throw std::invalid_argument("interleave: the guess is not finite");
}

}  // namespace detail

/// A surrogate with its progress through a schedule, as interleave_stages sees it.
template <class S, class Iterate>
concept RefinementStages = requires(S& stages, const S& constant, const Iterate& iterate, Round& round) {
  // Refines for the next round, given the current iterate, and fills in the surrogate's fields of the round. A
  // surrogate that evaluates here makes at most the allowed number of evaluations.
  { stages.advance(iterate, std::size_t{} /*allowed*/, round) } -> std::same_as<Advance>;
  constant.view();                                                       // what the solver sees: immutable
  { constant.exact_evaluations() } -> std::convertible_to<std::size_t>;  // so far
  { constant.shortfall() } -> std::convertible_to<std::string>;          // why refinement fell short; empty: it did not
};

/// The loop of Algorithm 1 of Jia, Pan, Manocha 2019 for any surrogate: refine, solve on a frozen view from the last
/// result, and again until the schedule is done. Callers use `interleave(grid, ...)` and `interleave(kernel, ...)`.
///
/// An exception of the solver ends the loop with solver_failed, and so does what is no result (SolverResult); one of
/// exact_check ends it with check_failed where `accuracy` asks after every round. The last iterate is kept, with its
/// cost. Interrupted ends the loop wherever it is thrown. Any other exception of refinement is passed on. A polish
/// decides the stop: what the rounds before it did is in their records and, if they failed, in the message. Throws
/// std::invalid_argument for options that mean nothing, NaN among them, and for a guess that is not finite.
template <class Stages, class Iterate, class Solver, class Schedule>
  requires RefinementStages<Stages, Iterate>
InterleaveResult<Iterate> interleave_stages(Stages& stages, Solver&& solver, Iterate guess,
                                            const InterleaveOptions<Iterate, Schedule>& options) {
  detail::check(options, guess);
  const std::size_t numbers = NumbersIn<Iterate>::count(guess);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds_since = [](auto then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
  };
  const std::size_t evaluations_before = stages.exact_evaluations();

  InterleaveResult<Iterate> result{.iterate = std::move(guess)};
  // The exact function may have no answer where the surrogate has one: the iterate must not be lost.
  const auto check_exactly = [&](Round& round) {
    try {
      result.exact_cost = round.exact_cost = options.exact_check(result.iterate);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      result.message = std::string("exact_check: ") + error.what();
    }
  };
  const auto solve = [&](Round& round, const auto& solver_of_round) {
    try {
      SolverResult<Iterate> solved = solver_of_round();
      round.cost = solved.cost.value_or(std::numeric_limits<double>::quiet_NaN());
      round.exact_evaluations = solved.exact_evaluations;
      if (const std::string wrong = detail::what_is_wrong(solved, numbers); !wrong.empty()) {
        result.stop = InterleaveStop::solver_failed;
        result.message = wrong;
        return;
      }
      result.iterate = std::move(solved.iterate);
      result.cost = round.cost;
      round.converged = solved.converged && !(round.cost == std::numeric_limits<double>::infinity());
      result.stop = round.converged ? InterleaveStop::converged
                    : round.polish  ? InterleaveStop::polish_ended
                                    : InterleaveStop::solver_failed;
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      result.stop = InterleaveStop::solver_failed;
      result.message = error.what();
    }
  };
  const auto run = [&] {
    for (;;) {
      const std::size_t evaluations = stages.exact_evaluations(), spent = evaluations - evaluations_before;
      const bool first = result.rounds.empty();
      std::size_t allowed = options.budget.exact_evaluations - std::min(spent, options.budget.exact_evaluations);
      if (seconds_since(start) >= options.budget.seconds) allowed = 0;
      if (first) allowed = std::max(allowed, std::size_t{1});
      Round round;
      const auto round_start = std::chrono::steady_clock::now();
      const Advance advance = stages.advance(std::as_const(result.iterate), allowed, round);
      if (advance == Advance::over_budget) result.stop = InterleaveStop::budget_spent;
      if (advance != Advance::ready) break;

      if constexpr (requires(const Eigen::MatrixXd& X) { stages.view().hint(X); })
        if (options.points) stages.view().hint(options.points(std::as_const(result.iterate)));
      solve(round, [&] { return solver(stages.view(), std::as_const(result.iterate)); });
      round.seconds = seconds_since(round_start);
      round.exact_evaluations += stages.exact_evaluations() - evaluations;
      if (options.accuracy > 0 && result.message.empty()) {
        check_exactly(round);
        if (!result.message.empty()) result.stop = InterleaveStop::check_failed;
      }
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
  };
  const auto end = [&] {
    if (result.stop == InterleaveStop::converged && result.message.empty()) {
      result.message = stages.shortfall();
      if (!result.message.empty()) result.stop = InterleaveStop::out_of_reach;
    }
    const bool polish = options.polish && result.stop != InterleaveStop::stopped_by_observer;
    if (options.exact_check && !(options.accuracy > 0) && !result.rounds.empty()) check_exactly(result.rounds.back());
    if (!polish) return;
    Round round{.polish = true};
    const auto polish_start = std::chrono::steady_clock::now();
    const std::size_t evaluations = stages.exact_evaluations();
    solve(round, [&] { return options.polish(std::as_const(result.iterate)); });
    round.seconds = seconds_since(polish_start);
    round.exact_evaluations += stages.exact_evaluations() - evaluations;
    if (options.exact_check) check_exactly(round);
    result.rounds.push_back(round);
    if (options.observer) options.observer(result.rounds.back(), result.iterate);
  };
  try {
    run();
    end();
    const bool failed = result.stop == InterleaveStop::solver_failed || result.stop == InterleaveStop::polish_ended;
    if (failed && result.message.empty() && std::isinf(result.cost))
      result.message = "the solver's cost is " + to_text(result.cost);
  } catch (const Interrupted& interruption) {
    result.stop = InterleaveStop::interrupted;
    result.message = interruption.what();
  }
  return result;
}

}  // namespace quoin
