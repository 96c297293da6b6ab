// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/tracking/tracking_task.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace quoin::planning {

/// Controls with which a body follows a path. Made by track.
struct TrackingPlan {
  TrackingTask task;         ///< with its accuracy
  Eigen::MatrixXd target;    ///< N x (K+1): the path, or where `learn` has shifted it
  Eigen::MatrixXd states;    ///< n x (K+1)
  Eigen::MatrixXd controls;  ///< m x K, within bounds and rates
  Eigen::MatrixXd planned;   ///< N x (K+1), the outputs of the model
  /// Of ilqr. initial_failed: there is no plan; states and what follows from them are empty.
  Stop stop = Stop::iteration_limit;
  StepStatus failed_status = StepStatus::ok;  ///< of the step that failed then
  std::string message = {};                   ///< what became of it, in a sentence
  std::vector<double> history = {};           ///< the root mean square errors of the runs that `learn` made
  Eigen::MatrixXd seen = {};  ///< N x (K+1), the outputs of the simulator under these controls; empty unless `learn`
                              ///< has run them
};

/// How far outputs (N x (K+1)) are from where they shall be, at each time: K+1.
inline Eigen::VectorXd tracking_errors(const Eigen::MatrixXd& outputs, const Eigen::MatrixXd& path) {
  return (outputs - path).colwise().norm();
}

/// Those of ilqr by default, but for 100 iterations.
inline IlqrOptions tracking_options() {
  IlqrOptions options;
  options.max_iterations = 100;
  return options;
}

/// Plans controls with which outputs of the body follow a path: at rest first, point by point (`box_least_squares`),
/// then with the dynamics, by `ilqr`. The motion begins at rest, where the path does.
///
///     const TrackingPlan plan = track({.body = tracked_body(model, tip), .path = path, .lower_control = lower,
///                                      .upper_control = upper, .control_rate = rate});
///
/// Bounds of rates make changes of the pulls the controls of ilqr (ControlChanges). Costs those of ilqr, and up to 20
/// outputs with Jacobians a point. Throws std::invalid_argument for sizes and numbers that do not fit, for bounds
/// within which the outputs have no answer, and for lengths that in their middle can be none (check_line_lengths).
TrackingPlan track(TrackingTask task, const IlqrOptions& options = tracking_options());

/// The plan's task for another target (N x (K+1)), from its controls on, which changes count from.
TrackingPlan track_again(const TrackingPlan& plan, const Eigen::MatrixXd& target,
                         const IlqrOptions& options = tracking_options());

}  // namespace quoin::planning
