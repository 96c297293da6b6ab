// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <limits>

namespace benchmarks {

/// A plan solved until rounding stops it: the steps that remain are far below the distance between plans.
struct TightPlan {
  planning::Trajectory trajectory;
  Eigen::MatrixXd hessian;  ///< of the cost by all controls, column by column; Newton's method used it
  double last_step = 0;     ///< largest remaining step of a control in Newton's method
  double gradient = 0;      ///< largest slope of the cost by a free control
  int newton_steps = 0;     ///< with one Hessian
  Eigen::Index bound = 0;   ///< controls held by their bounds
  double min_multiplier =
      std::numeric_limits<double>::infinity();  ///< least slope that presses a control against its bound
  double least_curvature = 0;                   ///< least eigenvalue of the Hessian over the free controls
  double max_curvature = 0;                     ///< greatest eigenvalue

  /// The sufficient conditions of a strict local minimum: held controls are pressed, free ones have positive curvature.
  bool strict() const { return min_multiplier > 0 && least_curvature > 0; }
};

/// Solves the first-order conditions of min cost(u), lower <= u <= upper (no other constraints), for a local minimum
/// near a guess (m x K): control-limited iLQR until it stalls, then Newton's method on the gradient of the free
/// controls, with one Hessian throughout. A line search on the cost stops at the square root of rounding, 1e-8; a root
/// of the gradient is found to rounding.
///
/// hessian: m K x m K, of a similar problem; empty: by central differences of the gradient at iLQR's plan, 2 m K
/// gradients. near: the guess is so close that Newton's method needs no iLQR before it. Throws std::runtime_error where
/// a plan cannot be rolled out or Newton's method does not contract.
TightPlan tight_plan(const planning::AnyTrajectoryProblem& problem, const Eigen::MatrixXd& guess,
                     const Eigen::MatrixXd& hessian = {}, bool near = false);

/// Distances between two plans of the same horizon.
struct PlanDistance {
  double controls_rms = 0, controls_max = 0, states_rms = 0, states_max = 0;
};

/// Over all controls and the first `state_rows` rows of the states.
PlanDistance distance(const planning::Trajectory& a, const planning::Trajectory& b, Eigen::Index state_rows);

}  // namespace benchmarks
