// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/any_dynamics.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/planning/any_stage_function.hpp"
#include "quoin/robots/planning/stage_functions.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <memory>
#include <type_traits>

namespace quoin::planning {

/// Minimize sum_{i=0}^{K} 1/2 |r_i(x_i, u_i)|^2 over u_0..u_{K-1}, where x_0 is given, x_{i+1} = g(x_i, u_i),
/// lower_control <= u_i <= upper_control, lower_state <= x_i <= upper_state for i >= 1, and h_i(x_i, u_i) <= 0.
///
///   TrajectoryProblem problem{.dynamics = arm, .residuals = laser_on_circle, .horizon = 200, .initial_state = x0,
///                             .lower_control = lower, .upper_control = upper};
///   IlqrResult plan = ilqr(problem, Eigen::MatrixXd::Zero(m, 200));
///
/// The parts are held by value. For parts that are large or cannot be copied, name reference types, and let the parts
/// outlive the problem: `TrajectoryProblem<const FullDynamics&, const LaserResiduals&> problem{...}`.
template <class Dynamics, class Residuals, class Constraints = NoConstraints>
struct TrajectoryProblem {
  static_assert(DiscreteDynamics<std::remove_cvref_t<Dynamics>>);
  static_assert(StageResiduals<std::remove_cvref_t<Residuals>>);
  static_assert(StageConstraints<std::remove_cvref_t<Constraints>>);

  Dynamics dynamics;                   ///< g: a DiscreteDynamics
  Residuals residuals;                 ///< r: StageResiduals
  Constraints constraints = {};        ///< h: StageConstraints
  int horizon = 0;                     ///< K, the number of steps
  Eigen::VectorXd initial_state = {};  ///< x_0: n
  Eigen::VectorXd lower_control = {};  ///< m, or empty for none; -infinity where there is no bound
  Eigen::VectorXd upper_control = {};  ///< m, or empty for none; infinity where there is no bound
  Eigen::VectorXd lower_state = {};    ///< n, or empty for none
  Eigen::VectorXd upper_state = {};    ///< n, or empty for none
};

/// States and controls of one motion.
struct Trajectory {
  Eigen::MatrixXd states = {};    ///< n x (K+1)
  Eigen::MatrixXd controls = {};  ///< m x K
  double cost = 0;                ///< the problem's cost, without penalties
};

/// A trajectory problem of any types, as the compiled solvers take it. Made by `erase`, complete.
using AnyTrajectoryProblem = TrajectoryProblem<AnyDynamics, AnyResiduals, AnyConstraints>;

/// Whether any bound of the states is finite.
bool has_state_bounds(const AnyTrajectoryProblem& problem);

/// Fills in empty bounds: infinite ones. Throws std::invalid_argument, with a message that begins with `caller`, if
/// sizes disagree, bounds cross, or x_0 is not finite.
void complete(AnyTrajectoryProblem& problem, const char* caller);

/// The problem for the compiled solvers, complete. It refers to the parts of `problem`, which must outlive it.
template <class Dynamics, class Residuals, class Constraints>
AnyTrajectoryProblem erase(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem, const char* caller) {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  using D = std::remove_cvref_t<Dynamics>;
  const auto* r = &problem.residuals;
  const auto* h = &problem.constraints;
  AnyTrajectoryProblem any{
      .dynamics = AnyDynamics(std::shared_ptr<const D>(std::shared_ptr<const D>(), &problem.dynamics)),  // not owned
      .residuals = {{[r](int i, const Vector& x, const Vector& u, Vector& value) {
                       return r->residual(i, x, u, value);
                     },
                     [r](int i, const Vector& x, const Vector& u, Vector& value, Matrix& dx, Matrix& du) {
                       return r->residual(i, x, u, value, dx, du);
                     }}},
      .constraints = {{[h](int i, const Vector& x, const Vector& u, Vector& value) {
                         return h->constraint(i, x, u, value);
                       },
                       [h](int i, const Vector& x, const Vector& u, Vector& value, Matrix& dx, Matrix& du) {
                         return h->constraint(i, x, u, value, dx, du);
                       }}},
      .horizon = problem.horizon,
      .initial_state = problem.initial_state,
      .lower_control = problem.lower_control,
      .upper_control = problem.upper_control,
      .lower_state = problem.lower_state,
      .upper_state = problem.upper_state};
  complete(any, caller);
  return any;
}

/// The motion that the controls (m x K) give, and its cost. `failed_step` is -1, or the first i whose step, residual
/// or constraint could not be computed; the trajectory then holds the states up to there, and its cost is infinite.
struct Rollout {
  Trajectory trajectory;  ///< up to where it failed, if it did
  double violation = 0;   ///< the largest of h and of the state bounds, or 0; control bounds are not checked
  int failed_step = -1;   ///< -1, or the step
  StepStatus status = StepStatus::ok;  ///< of the failed step; ok where a residual or constraint failed
};

/// controls: m x K. Throws std::invalid_argument for another shape.
Rollout roll_out(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& controls);

/// The gradient of the cost by the controls (m x K), states following the controls, by the adjoint recursion
/// p_K = r_x^T r, p_i = r_x^T r + g_x^T p_{i+1}, dJ/du_i = r_u^T r + g_u^T p_{i+1}. K derivative calls. Constraints are
/// ignored. The gradient is empty where the rollout or a derivative fails (failed_step then names the step).
struct CostGradient {
  Rollout rollout;           ///< the motion at which it was taken
  Eigen::MatrixXd gradient;  ///< m x K
};

/// controls: m x K. Throws std::invalid_argument for another shape.
CostGradient cost_gradient(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& controls);

/// Erases the types of the problem first.
template <class Dynamics, class Residuals, class Constraints>
Rollout roll_out(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem, const Eigen::MatrixXd& controls) {
  return roll_out(erase(problem, "roll_out"), controls);
}

/// Erases the types of the problem first.
template <class Dynamics, class Residuals, class Constraints>
CostGradient cost_gradient(const TrajectoryProblem<Dynamics, Residuals, Constraints>& problem,
                           const Eigen::MatrixXd& controls) {
  return cost_gradient(erase(problem, "cost_gradient"), controls);
}

}  // namespace quoin::planning
