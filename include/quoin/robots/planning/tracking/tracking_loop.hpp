// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/time_varying_lqr.hpp"
#include "quoin/robots/planning/tracking/track.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace quoin::planning {

/// How TrackingLoop weighs deviations, and what it knows of noise.
struct TrackingLoopOptions {
  /// Of a squared deviation d of the outputs; none: 1/d^2 of ten accuracies, or of a hundredth of what the whole range
  /// of the pulls moves the outputs, root mean square along the plan, if that is more. A loop that weighs what the
  /// model does not know of more heavily may shake.
  std::optional<double> output_weight = {};
  double control_weight = 100;       ///< of a squared change of the pulls, in parts of their range: a tenth counts 1
  bool estimate = true;              ///< false: states (n) of the model are measured, in the place of outputs
  std::optional<double> noise = {};  ///< the deviation of measured outputs; none: the task's accuracy. At least 1e-7 of
                                     ///< what the whole range of controls moves them is assumed
  double disturbance = 0.01;         ///< of the state, in a step, in parts of the range of the pulls
};

/// Holds a plan: time-varying LQR on what a Kalman filter makes of measured outputs. Deviations are those from what the
/// simulator did in the last run of `learn`, else from the model's plan. Where the task bounds rates, changes of the
/// pulls are fed back.
///
///     TrackingLoop loop(plan, {.noise = 5e-4});
///     loop.reset();
///     for (int i = 0; i < K; ++i) y = robot(loop.control(y));
///
/// A control costs O(n^3 + N^3). Throws std::invalid_argument for a plan that is none, or has a step without
/// derivatives, and for options that mean nothing.
class TrackingLoop {
 public:
  /// Keeps a copy of the plan, and linearizes along it.
  explicit TrackingLoop(TrackingPlan plan, const TrackingLoopOptions& options = {});

  /// Begins at the plan's first step.
  void reset();
  /// The pulls (m) of the next step, within their bounds and rates, from the outputs (N) that were measured. Throws
  /// std::invalid_argument behind the plan's last step, and for what is no measurement.
  Eigen::VectorXd control(const Eigen::VectorXd& measured);

  const TrackingPlan& plan() const { return plan_; }
  /// K, m x n, or m x (n + m) of changes.
  const std::vector<Eigen::MatrixXd>& gains() const { return gains_; }

 private:
  bool has_rates() const { return plan_.task.control_rate.size() > 0; }

  TrackingPlan plan_;
  bool estimate_;
  LinearizedMotion motion_;
  std::vector<Eigen::MatrixXd> output_slopes_, gains_;
  Eigen::MatrixXd noise_, disturbance_, initial_;  // covariances
  TrajectoryFilter filter_;
  Eigen::MatrixXd before_;  // m x (K+1): the pulls before each step
  Eigen::VectorXd last_;
  Eigen::Index step_ = 0;
};

}  // namespace quoin::planning
