// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <concepts>

namespace quoin {

/// Why an iterative solver ended. The words are the same for all; the `stop` of a solver's result says which of them it
/// may be, and what that solver has checked before it says `converged`.
enum class Stop {
  converged,         ///< all tolerances are met
  target_reached,    ///< the error that was asked for is reached
  acceptable,        ///< looser tolerances are met, and no better point was found
  iteration_limit,   ///< the best point so far is returned
  evaluation_limit,  ///< no budget of evaluations is left for another iteration
  time_limit,
  stalled,              ///< no step lowers the cost, though the model promises it
  saddle,               ///< little is promised, but the cost bends down along a direction that cannot be followed
  infeasible,           ///< constraints could not be met
  initial_failed,       ///< the functions cannot be computed at the start
  derivatives_failed,   ///< the functions have values, but no derivatives, at the returned point
  evaluation_failed,    ///< a function could not be computed where the solver needed it
  not_finite,           ///< a number became infinite or NaN; the last finite point is returned
  stopped_by_observer,  ///< it returned false
  solver_error,         ///< out of memory, a defect of the linear solver, or an inconsistent problem
  constraints_violated [[deprecated("infeasible")]] = infeasible,
  initial_rollout_failed [[deprecated("initial_failed")]] = initial_failed,
  epochs_done [[deprecated("iteration_limit")]] = iteration_limit,
  iterations_done [[deprecated("iteration_limit")]] = iteration_limit,
  no_finite_cost [[deprecated("not_finite")]] = not_finite
};

constexpr const char* to_string(Stop stop) {
  switch (stop) {
    case Stop::converged: return "converged";
    case Stop::target_reached: return "target reached";
    case Stop::acceptable: return "acceptable";
    case Stop::iteration_limit: return "iteration limit";
    case Stop::evaluation_limit: return "evaluation limit";
    case Stop::time_limit: return "time limit";
    case Stop::stalled: return "stalled";
    case Stop::saddle: return "saddle";
    case Stop::infeasible: return "infeasible";
    case Stop::initial_failed: return "initial failed";
    case Stop::derivatives_failed: return "derivatives failed";
    case Stop::evaluation_failed: return "evaluation failed";
    case Stop::not_finite: return "not finite";
    case Stop::stopped_by_observer: return "stopped by observer";
    case Stop::solver_error: return "solver error";
  }
  return "unknown";
}

/// What the results of all iterative solvers have in common.
template <class R>
concept SolverOutcome = requires(const R& result) {
  { result.stop } -> std::convertible_to<Stop>;
  { result.iterations } -> std::convertible_to<long>;
  { result.converged() } -> std::same_as<bool>;
};

}  // namespace quoin
