// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::planning {

using IlqrStop [[deprecated("quoin::Stop")]] = Stop;

/// One iteration, as seen by the observer and kept in the log. Counts are running totals.
struct IlqrIteration {
  int iteration = 0;              ///< from 1; 0 is the initial trajectory
  int outer = 0;                  ///< updates of the multipliers so far
  double cost = 0;                ///< the problem's cost, without penalties
  double merit = 0;               ///< cost plus augmented Lagrangian terms: what this iteration decreased
  double violation = 0;           ///< largest violation of constraints and state bounds
  double projected_gradient = 0;  ///< largest |u - clamp(u - d merit/du)| before the step
  double expected_decrease = 0;   ///< of the merit, by the quadratic model of a full step
  double step = 0;                ///< accepted step length in (0, 1]; 0 if none was
  double regularization = 0;      ///< used for this step
  long dynamics_calls = 0;        ///< steps without derivatives
  long derivative_calls = 0;      ///< steps with derivatives
};

/// False stops the solver.
using IlqrObserver = std::function<bool(const IlqrIteration&, const Trajectory&)>;

/// Multipliers and penalty of the augmented Lagrangian, to start the next, similar problem from.
struct IlqrMultipliers {
  std::vector<Eigen::VectorXd> constraints;  ///< K+1 vectors, as long as h_i; empty: zero
  Eigen::MatrixXd lower_state;               ///< n x (K+1); empty: zero
  Eigen::MatrixXd upper_state;               ///< n x (K+1); empty: zero
  double penalty = 0;                        ///< 0: IlqrOptions::initial_penalty
};

/// When ilqr stops, how its steps are regularized, and how constraints are enforced.
struct IlqrOptions {
  int max_iterations = 200;            ///< over all outer iterations
  double relative_tolerance = 1e-7;    ///< stop when model or step promise less than this times the merit
  double gradient_tolerance = 1e-10;   ///< stop when the gradient is less than this beside the terms that it is the
                                       ///< sum of, or an undamped step beside the largest controls: free of units
  double constraint_tolerance = 1e-6;  ///< of h and of the state bounds, in their units; where h varies by less than
                                       ///< 0.01 along with states and controls of this size, or these states are no
                                       ///< larger, in parts of that
  int max_line_search_steps = 12;      ///< step lengths 1, 1/2, 1/4, ...
  double sufficient_decrease = 1e-4;   ///< actual over expected decrease that accepts a step
  double initial_regularization = 0;   ///< relative to the diagonal of Q_uu; raise for far starts
  double min_regularization = 1e-3;    ///< smaller values become zero
  double max_regularization = 1e8;     ///< gives up where a step would need more
  double initial_penalty = 10;         ///< mu of the augmented Lagrangian, in cost per squared violation
  double penalty_factor = 10;          ///< mu grows by it when violations shrink too slowly
  double max_penalty = 1e9;            ///< mu grows no further, but by such parts
  int max_outer_iterations = 30;       ///< updates of the multipliers; one without constraints
  bool derivatives_in_trial = true;    ///< the trial of the full step takes derivatives along: one call a step where it
                                       ///< is accepted, not two. False pays where derivatives cost far more than steps,
                                       ///< or are shared by several threads
  /// The curvature of step, residuals and constraints too, by differences of their derivatives: n + m + 1 further calls
  /// a step and iteration; convergence becomes quadratic where the dynamics' derivatives are exact.
  bool exact_hessians = false;
  /// Exact Hessians decide whether a point where little is promised is a minimum (n + m + 1 further calls a step, once
  /// where it is), lead away from it where it is not, and take over where steps creep. False for dynamics whose
  /// derivatives are too dear for that: `converged` then promises less.
  bool check_curvature = true;
  /// At the first saddle of some depth, follows up to six descents, along two directions and at two lengths, with
  /// Gauss-Newton's and with exact Hessians, and goes on from the lowest. `iterations` and `log` are of the one that is
  /// kept, `max_iterations` holds for each; observer and calls see all. False: the first that falls is taken.
  bool explore_saddle = true;
  /// Where the guess cannot be rolled out to its end, or ends ten times as far from where the last stage wants it, by
  /// its cost, as it began, that is a tenth of the whole cost, and the first step cannot be taken whole: plans an
  /// eighth of the horizon roughly, with the last stage's residuals at its end, then ever more of it, and begins from
  /// there if that costs less. What is added begins as the guess has it or with the mean of the controls planned so
  /// far, whichever costs less. Calls are of all, the observer sees the last.
  bool grow_horizon = true;
  double curvature_tolerance = 1e-6;  ///< how far the merit may bend down at a minimum, beside Gauss-Newton's curvature
  int threads = 1;  ///< for derivatives along the trajectory; above 1 all parts are called concurrently
  IlqrMultipliers multipliers = {};  ///< warm start
  IlqrObserver observer = {};        ///< or none
};

/// The plan, a feedback around it, and what it took.
struct IlqrResult {
  Trajectory trajectory;  ///< a rollout: states follow from the controls, which obey their bounds exactly
  /// converged: a minimum: the gradient vanishes, or Newton's step promises less than six times relative_tolerance of
  /// the merit, and second derivatives tell of no direction along which the merit bends down; constraints hold. Without
  /// check_curvature: a point where the gradient vanishes, or model or steps promise less than the tolerance. stalled:
  /// no step lowers the cost, even at the greatest regularization, though the model promises it, or five steps in a row
  /// were cut to next to nothing because rollouts fail, or second derivatives cannot be computed where all else is
  /// well; constraints hold. saddle: the merit bends down along a direction that no rollout follows; constraints hold.
  /// infeasible: constraints could not be met, or it is stuck where violation is locally least. initial_failed: the
  /// initial controls cannot be rolled out: see failed_step and failed_status. derivatives_failed: of a step or a
  /// residual along the returned trajectory. Else iteration_limit or stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;                         ///< over all outer iterations
  double violation = 0;                       ///< of constraints and state bounds, at the returned trajectory
  double projected_gradient = 0;              ///< of the augmented Lagrangian
  int failed_step = -1;                       ///< where rollout or derivatives failed
  StepStatus failed_status = StepStatus::ok;  ///< of the step that failed
  long dynamics_calls = 0;                    ///< steps without derivatives
  long derivative_calls = 0;                  ///< steps with derivatives
  IlqrMultipliers multipliers;                ///< at the end: a warm start
  std::vector<Eigen::MatrixXd> gains;  ///< K matrices m x n: u = u_i + gains_i (x - x_i), of the last backward pass
  std::vector<IlqrIteration> log;      ///< the start and each iteration

  /// Whether all tolerances were met.
  bool converged() const { return stop == Stop::converged; }
};

/// Control-limited differential dynamic programming (Tassa, Mansard, Todorov 2014), by default with Gauss-Newton
/// Hessians, with general constraints by an augmented Lagrangian.
///
/// One iteration: derivatives along the trajectory (K calls, independent), a backward sweep O(K (n + m)^3), and
/// rollouts with feedback at step lengths 1, 1/2, ... until the merit falls enough. A rollout that fails only shortens
/// the step. Every accepted trajectory is dynamically exact. A linear-quadratic problem without bounds is solved by the
/// first iteration.
///
/// With `exact_hessians` the stages' models contain the second derivatives of g, r and h as well, g's weighted by the
/// costates: the steps are Newton's (Dunn, Bertsekas 1989, "Efficient dynamic programming implementations of Newton's
/// method for unconstrained optimal control problems"). Where that model is not convex, Gauss-Newton's is mixed in
/// until it is.
///
/// initial_controls: m x K, clamped to the bounds. Throws std::invalid_argument for sizes or bounds that do not fit,
/// and what the parts throw.
IlqrResult ilqr(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& initial_controls,
                const IlqrOptions& options = {});

/// Erases the types of the problem and solves it.
template <class Dynamics, class Residuals, class Constraints>
IlqrResult ilqr(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem,
                const Eigen::MatrixXd& initial_controls, const IlqrOptions& options = {}) {
  return ilqr(erase(problem, "ilqr"), initial_controls, options);
}

}  // namespace quoin::planning
