// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/aico/aico_problem.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::planning {

using AicoStop [[deprecated("quoin::Stop")]] = Stop;

/// One iteration, as seen by the observer and kept in the log. Counts are running totals.
struct AicoIteration {
  int iteration = 0;             ///< from 1; 0 is the initial trajectory
  bool accepted = true;          ///< it lowered the cost and is kept
  double cost = 0;               ///< of the trajectory that is kept
  double trial_cost = 0;         ///< of the one tried; infinite where it could not be followed
  double damping = 0;            ///< used for this iteration
  double expected_decrease = 0;  ///< of the cost, by the undamped model around the trajectory before
  double change = 0;             ///< largest |x_t - x_t before| of the trial, any entry
  int relinearizations = 0;      ///< within slices, in this iteration
  long task_evaluations = 0;     ///< so far
  long dynamics_calls = 0;       ///< so far, with derivatives or without
};

/// When aico stops, and how its steps are damped.
struct AicoOptions {
  int max_iterations = 100;          ///< accepted and rejected ones
  long max_task_evaluations = 0;     ///< T + 1 are needed for an iteration; 0: no limit
  double relative_tolerance = 1e-6;  ///< stop when the undamped model promises less than this times the cost
  double step_tolerance = 1e-6;      ///< stop when an undamped sweep moves no entry of the states by more
  double initial_damping = 1e-2;     ///< lambda, in cost per squared change of a state; 0: Gauss-Newton
  double damping_decrease = 5;       ///< lambda is divided by it when an iteration keeps its promise
  double damping_increase = 10;      ///< and multiplied by it when one is rejected (from 1e-2 if it was less)
  /// The part of `expected_decrease` by which the cost must fall for the promise to count as kept; 0: any accepted one.
  double good_gain = 0.75;
  double poor_gain = 0.25;               ///< below this part lambda is doubled, between both it stays; 0: never
  double max_damping = 1e10;             ///< gives up where a step would need more
  Eigen::VectorXd damping_weights = {};  ///< n, the diagonal of D; empty: ones
  int relinearizations = 0;  ///< of the task, at most, in one slice of a sweep, beside that on the trajectory
  /// The task is linearized again where the belief of a slice has moved further than this, in any entry.
  double slice_threshold = 1e-2;
  /// Second derivatives, by differences, decide whether a plan to which nothing more is promised is a minimum, and lead
  /// away from it where it is not. Once where it is; a slice takes one call of the task where that is linear, else one
  /// for each entry that it depends on and up to two more, and so do steps with their entries.
  bool check_curvature = true;
  double curvature_tolerance = 1e-6;  ///< how far the cost may bend down at a minimum, beside Gauss-Newton's curvature
  bool covariances = true;            ///< compute the marginals' covariances in the end
  std::function<bool(const AicoIteration&, const Eigen::MatrixXd& states)> observer = {};  ///< false stops
};

/// The plan, what it rests on, and what it took.
struct AicoResult {
  Eigen::MatrixXd states;          ///< n x (T+1), follows from the controls: the mean of the posterior once converged
  Eigen::MatrixXd controls;        ///< m x T
  double cost = 0;                 ///< of the trajectory: tasks and controls
  double control_cost = 0;         ///< the part of the controls
  std::vector<double> task_costs;  ///< T+1
  std::vector<Eigen::MatrixXd> gains;        ///< T of m x n: u = controls_t + gains_t (x - states_t)
  std::vector<Eigen::MatrixXd> covariances;  ///< T+1 of n x n, of the local Gaussian posterior around the states
  /// converged: a minimum: an undamped sweep promises less, or moves less, than the tolerances, or five accepted in a
  /// row gained less than the relative tolerance; Newton's step promises less than six times that; and second
  /// derivatives tell of no direction along which the cost bends down. Without check_curvature the first of these
  /// alone. stalled: no step lowers the cost, even at the greatest damping, though a model promises it, or second
  /// derivatives cannot be computed where all else is well. initial_failed: the initial controls cannot be followed, or
  /// their task not be computed: see failed_step. Else saddle, iteration_limit, evaluation_limit or
  /// stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;    ///< sweeps whose trajectory was tried; `accepted` of them lowered the cost
  int accepted = 0;      ///< sweeps that lowered the cost
  int sweeps = 0;        ///< of messages: with those that confirm convergence and the last
  double damping = 0;    ///< lambda at the end
  int failed_step = -1;  ///< where following the initial controls, or a task there, failed
  StepStatus failed_status = StepStatus::ok;  ///< of the step that failed; ok where a task did
  long task_evaluations = 0;                  ///< in all
  long dynamics_calls = 0;                    ///< in all, with derivatives or without
  std::vector<AicoIteration> log;             ///< the initial trajectory and each iteration

  /// Whether all tolerances were met, at a minimum.
  bool converged() const { return stop == Stop::converged; }

  /// The control at time t in a state off the plan. Throws std::invalid_argument for a t or x that does not fit, or a
  /// result without gains.
  Eigen::VectorXd control(int t, const Eigen::VectorXd& x) const;
};

/// Approximate inference control (Toussaint 2009; Zarubin et al. 2012, section III-A), docs/robots/aico.md.
///
///     AicoResult plan = aico(problem, Eigen::MatrixXd::Zero(m, T));
///
/// One iteration: Gaussian messages through the chain, linearized along the trajectory, under the damping lambda/2
/// |x_t - x_t before|^2_D at every time; tasks are linearized again at the belief of their slice as often as
/// `relinearizations` says; the posterior's control law is followed through the true dynamics, and the trajectory is
/// kept if its true cost is lower. Otherwise the plan stays as it was, to the bit, and lambda grows. A linear-quadratic
/// problem is solved by the first iteration if lambda = 0, and its covariances are exact; in general the end is a
/// minimum of the true cost, on which the damping has no influence but by the choice between several.
///
/// An iteration takes T+1 task evaluations and T calls of the dynamics, with derivatives, and O(T n^3) besides; memory
/// O(T n^2). Deterministic. initial_controls: m x T; zero, or `second_order_controls` of a path. Throws
/// std::invalid_argument for sizes or options that do not fit, and what the parts throw.
AicoResult aico(const AicoProblem& problem, const Eigen::MatrixXd& initial_controls, const AicoOptions& options = {});

}  // namespace quoin::planning
