// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/collocation/node_dynamics.hpp"
#include "quoin/robots/planning/collocation/plan.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <concepts>
#include <functional>
#include <memory>

namespace quoin::planning {

/// The parts of a problem, all with first derivatives; second ones come from differences of these. False: cannot be
/// computed here. Outputs are resized where they must be.
using RunningCost = std::function<bool(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, double& cost,
                                       Eigen::VectorXd& dx, Eigen::VectorXd& du)>;
/// Of the end alone.
using TerminalCost = std::function<bool(const Eigen::VectorXd& x, double& cost, Eigen::VectorXd& dx)>;
/// Any number of values at a time within the motion, the same number at all times.
using PathConstraint = std::function<bool(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                          Eigen::VectorXd& g, Eigen::MatrixXd& dx, Eigen::MatrixXd& du)>;
/// Any number of values at the end.
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
  NodeDynamics dynamics = {};                       ///< made by node_dynamics
  Vector times = {};                                ///< of the mesh, ascending: N + 1, of any spacing
  Vector initial_state = {};                        ///< n; or empty, and then the two bounds
  Vector lower_initial_state = {};                  ///< n, or empty for none beside lower_state; infinite where free
  Vector upper_initial_state = {};                  ///< n, likewise
  Vector initial_control = {};                      ///< m: u(0) is held, as the paper's tau_0 = 0; or empty
  Vector lower_state = {};                          ///< n, or empty for none
  Vector upper_state = {};                          ///< n, likewise
  Vector lower_control = {};                        ///< m, or empty for none
  Vector upper_control = {};                        ///< m, likewise
  RunningCost running_cost = {};                    ///< or none
  TerminalCost terminal_cost = {};                  ///< or none
  PathConstraint path = {};                         ///< or none
  Vector lower_path = {}, upper_path = {};          ///< as many as path has; both are required with it
  BoundaryConstraint boundary = {};                 ///< or none
  Vector lower_boundary = {}, upper_boundary = {};  ///< likewise

  /// Throws std::invalid_argument, with a message that begins with `caller`, unless sizes agree, times ascend
  /// and no bounds cross.
  void check(const char* caller) const;
};

/// The conversion below for an erased problem, whose parts `owner` keeps alive.
CollocationProblem collocation_problem(NodeDynamics dynamics, double duration, AnyTrajectoryProblem problem,
                                       std::shared_ptr<const void> owner);

/// A trajectory problem in the form of collocation, so that one statement serves `ilqr`, `ipopt_transcription` and
/// this. Its dynamics must be steps of `duration()` of continuous `dynamics()`, as RungeKutta is:
///
///     TrajectoryProblem problem{.dynamics = RungeKutta(arm, 0.02), .residuals = reach, .horizon = 100, ...};
///     IlqrResult shot = ilqr(problem, controls);
///     CollocationProblem same = collocation_problem(problem);
///     CollocationPlan plan = collocation(same, straight_guess(same, goal));
///
/// Step i becomes the interval from i to i + 1 durations, r_i the running cost 1/2 |r_i|^2 / duration in it, r_K the
/// terminal cost; h_i <= 0 holds at the nodes of interval i, h_K <= 0 at the end. The two costs agree to the error of
/// quadrature, first order in the duration: between mesh points x and u are not held. The bounds of x_i hold at every
/// node. The problem is copied; parts of it that are references must outlive the result. Throws std::invalid_argument
/// for sizes that do not fit, and for constraints that cannot be computed at the initial state or change their number
/// before the end.
template <class Dynamics, class Residuals, class Constraints>
  requires requires(const Dynamics& steps) {
    node_dynamics(steps.dynamics());
    { steps.duration() } -> std::convertible_to<double>;
  }
CollocationProblem collocation_problem(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem) {
  using Problem = TrajectoryProblem<Dynamics, Residuals, Constraints>;
  const auto kept = std::make_shared<const Problem>(problem);
  return collocation_problem(node_dynamics(kept->dynamics.dynamics()), kept->dynamics.duration(),
                             erase(*kept, "collocation_problem"), kept);
}

/// States linear from the initial state (where it is free: the middle of its bounds, or 0) to `final_state`; controls
/// 0; both held within their bounds.
CollocationPlan straight_guess(const CollocationProblem& problem, const Eigen::VectorXd& final_state);

}  // namespace quoin::planning
