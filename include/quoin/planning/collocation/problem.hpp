// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/planning/collocation/node_dynamics.hpp"
#include "quoin/planning/collocation/plan.hpp"

#include <Eigen/Core>

#include <functional>

namespace quoin::planning {

/// The parts of a problem, all with first derivatives; second ones come from differences of these. False: cannot be
/// computed here. Outputs are resized where they must be.
using RunningCost = std::function<bool(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double& cost,
                                       Eigen::VectorXd& dx, Eigen::VectorXd& du)>;
using TerminalCost = std::function<bool(const Eigen::VectorXd& x, double& cost, Eigen::VectorXd& dx)>;
using PathConstraint = std::function<bool(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                          Eigen::VectorXd& g, Eigen::MatrixXd& dx, Eigen::MatrixXd& du)>;
using BoundaryConstraint = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& h, Eigen::MatrixXd& dx)>;

/// u^T R u; R is m x m.
RunningCost effort(Eigen::MatrixXd R);

/// (x - goal)^T Q (x - goal) + u^T R u.
RunningCost quadratic_cost(Eigen::MatrixXd Q, Eigen::VectorXd goal, Eigen::MatrixXd R);

/// Minimize  terminal_cost(x(T)) + integral of running_cost(t, x, u) dt  over motions dx/dt = f(x, u), with
/// bounds of x and u, lower_path <= path(t, x, u) <= upper_path at every node, and
/// lower_boundary <= boundary(x(T)) <= upper_boundary.
///
///   CollocationProblem grab{.dynamics = node_dynamics(arm),
///                           .times = Eigen::VectorXd::LinSpaced(41, 0, 1.5),
///                           .initial_state = at_rest,
///                           .lower_control = -limit, .upper_control = limit,
///                           .running_cost = effort(R),
///                           .boundary = squared_distance_and_speed_of_the_tip,
///                           .lower_boundary = Eigen::Vector2d::Zero(), .upper_boundary = Eigen::Vector2d(1e-4, 4e-4)};
///   CollocationPlan plan = collocation(grab, straight_guess(grab, goal_pose), {.ipopt = {.max_seconds = 10}});
///   CollocationReplay seen = replay(grab.dynamics, plan, 0.002);
///
/// Constraints are best scaled by their author such that a violation of the solver's constraint_tolerance is harmless
/// and values are around 1; norms are best given as squares, smooth at 0.
struct CollocationProblem {
  using Vector = Eigen::VectorXd;
  NodeDynamics dynamics = {};
  Vector times = {};                ///< of the mesh, ascending: N + 1, of any spacing
  Vector initial_state = {};        ///< n; or empty, and then the two bounds
  Vector lower_initial_state = {};  ///< n, or empty for none beside lower_state; infinite where free
  Vector upper_initial_state = {};
  Vector initial_control = {};  ///< m: u(0) is held, as the paper's tau_0 = 0; or empty
  Vector lower_state = {};      ///< n, or empty for none
  Vector upper_state = {};
  Vector lower_control = {};  ///< m, or empty for none
  Vector upper_control = {};
  RunningCost running_cost = {};
  TerminalCost terminal_cost = {};
  PathConstraint path = {};
  Vector lower_path = {}, upper_path = {};  ///< as many as path has; both are required with it
  BoundaryConstraint boundary = {};
  Vector lower_boundary = {}, upper_boundary = {};  ///< likewise

  /// Throws std::invalid_argument, its message begun by `caller`, unless sizes agree, times ascend and no bounds cross.
  void check(const char* caller) const;
};

/// States linear from the initial state (where it is free: the middle of its bounds, or 0) to `final_state`; controls
/// 0; both held within their bounds.
CollocationPlan straight_guess(const CollocationProblem& problem, const Eigen::VectorXd& final_state);

}  // namespace quoin::planning
