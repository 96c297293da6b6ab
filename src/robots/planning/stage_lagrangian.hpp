// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <atomic>

namespace quoin::planning {

/// One stage's part of a trajectory's Lagrangian: weight |r|^2 / 2 + constraint_multipliers . h - defect_multipliers .
/// g, with the residuals r, the constraints h and the step g (none at the horizon) of its state and control.
struct StageLagrangian {
  const AnyTrajectoryProblem& problem;
  int stage;
  double weight;
  Eigen::VectorXd constraint_multipliers, defect_multipliers;
  std::atomic<long>& derivative_calls;  ///< of steps, counted
  double relative_step = 1e-5;          ///< of differences
  Eigen::VectorXd sizes = {};           ///< n + m; relative to coordinates above these; empty: above 1

  /// By state and control, n + m (n at the horizon); false where it cannot be computed.
  bool gradient(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& out) const;

  /// The second derivative, from one-sided differences of the gradient that stay within the bounds. By the first
  /// stage's state, which is given, it is zero. False where it cannot be computed.
  bool curvature(Eigen::VectorXd x, Eigen::VectorXd u, Eigen::MatrixXd& out) const;
};

}  // namespace quoin::planning
