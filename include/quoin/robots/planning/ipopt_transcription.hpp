// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <functional>

namespace quoin::planning {

/// How the program is solved.
struct TranscriptionOptions {
  optimization::IpoptOptions ipopt = {};  ///< its observer is left to `observer` below
  /// Before `converged` ask second derivatives, and leave saddles: the Hessian of the last iterate by differences, at
  /// n + m + 1 derivative calls a step, and solves from either side of a saddle.
  bool check_curvature = true;
  double curvature_tolerance = 1e-5;  ///< how far the Lagrangian may bend down at a minimum, beside its own Hessian
  int threads = 1;  ///< for the stages, values and derivatives; above 1 all parts are called concurrently
  /// False stops the solver; not called in restoration.
  std::function<bool(const optimization::NlpIteration&, const Trajectory&)> observer = {};
};

/// The plan, and what it took.
struct TranscriptionResult {
  Trajectory trajectory;  ///< states are variables of the program: they follow the controls up to largest_defect
  Stop stop = Stop::solver_error;  ///< why Ipopt ended
  int iterations = 0;              ///< by Ipopt's count
  bool in_restoration = false;     ///< it ended while still looking for any feasible point: suspect infeasibility
  double largest_defect = 0;       ///< max |x_{i+1} - g(x_i, u_i)|; infinite where that cannot be computed
  double violation = 0;            ///< of constraints and state bounds
  long dynamics_calls = 0;         ///< steps without derivatives
  long derivative_calls = 0;       ///< steps with derivatives
  optimization::NlpMultipliers multipliers;  ///< at the end: a warm start

  /// Whether Ipopt met its tolerances, at a minimum where it was asked to look (`check_curvature`).
  bool converged() const { return stop == Stop::converged; }
};

/// Solves a trajectory problem by direct transcription: variables u_0, x_1, u_1, ..., x_K; defects
/// x_{i+1} - g(x_i, u_i) = 0 and stage constraints with exact sparse Jacobians; the Gauss-Newton Hessian of the cost;
/// Ipopt. That Hessian lacks the curvature of defects and constraints, without which iterates may circle around the
/// optimum: after 20 iterations without progress it is taken from differences of the first derivatives, at n + m + 1
/// times as many derivative calls.
///
/// initial: controls (m x K, required) and states (n x (K+1), or empty: rolled out, and held where the rollout fails).
/// The dynamics are evaluated wherever the iterates are, off the motion, within the state bounds: a surrogate with a
/// bounded domain needs lower_state and upper_state. See docs/robots/planning.md for when to prefer it to `ilqr`.
/// Defined only where QUOIN_HAS_IPOPT is. Throws std::invalid_argument for sizes or bounds that do not fit.
TranscriptionResult ipopt_transcription(const AnyTrajectoryProblem& problem, const Trajectory& initial,
                                        const TranscriptionOptions& options = {});

/// Erases the types of the problem and solves it.
template <class Dynamics, class Residuals, class Constraints>
TranscriptionResult ipopt_transcription(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem,
                                        const Trajectory& initial, const TranscriptionOptions& options = {}) {
  return ipopt_transcription(erase(problem, "ipopt_transcription"), initial, options);
}

}  // namespace quoin::planning
