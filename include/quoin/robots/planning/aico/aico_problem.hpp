// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/planning/aico/linear_step.hpp"
#include "quoin/robots/planning/aico/local_task.hpp"

#include <Eigen/Core>

#include <functional>
#include <utility>
#include <vector>

namespace quoin::planning {

/// x_{t+1} = g_t(x_t, u_t). Where step is not null, its A and B become the derivatives and a the rest,
/// a = g - A x - B u. Outputs are resized.
using AicoDynamics = std::function<StepStatus(int t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                              Eigen::VectorXd& next, LinearStep* step)>;

/// The task at time t, at and around x: `task` arrives with R = 0, r = 0, cost = 0, and the function adds to it. False:
/// it cannot be computed here; a step that leads here is shortened.
using AicoTask = std::function<bool(int t, const Eigen::VectorXd& x, LocalTask& task)>;

/// Minimize over x_0..x_T and u_0..u_{T-1}
///
///     sum_{t=0}^{T} c_t(x_t) + sum_{t=0}^{T-1} 1/2 u_t^T H u_t  [+ 1/2 (x_0 - m)^T S_0^-1 (x_0 - m)],
///     x_{t+1} = g_t(x_t, u_t), x_0 = m known [or x_0 ~ N(m, S_0)]
///
/// (Zarubin et al. 2012, Eq. 7), as inference in p ~ P(x_0) prod P(u_t) prod P(x_{t+1} | x_t, u_t) prod exp{-c_t(x_t)}
/// (Eq. 8). Only c_T constrains the end.
///
///     AicoProblem problem{.state_size = 2 * d, .horizon = 50, .control_cost = 0.1 * MatrixXd::Identity(d, d),
///                         .initial_state = x0, .dynamics = linear_dynamics(second_order_step(d, 0.1)),
///                         .task = [&](int t, const VectorXd& x, LocalTask& task) {
///                           hand.evaluate(x.head(d), world, y, J);
///                           if (t == 50) task.add(sqrt(1e3) * (y - goal), sqrt(1e3) * J, x);
///                           return true;
///                         }};
struct AicoProblem {
  Eigen::Index state_size = 0;              ///< n
  int horizon = 0;                          ///< T, the number of steps
  Eigen::MatrixXd control_cost = {};        ///< H, m x m, positive definite
  Eigen::VectorXd initial_state = {};       ///< m: n
  Eigen::MatrixXd initial_covariance = {};  ///< S_0, n x n, may be singular; empty: x_0 is known
  AicoDynamics dynamics = {};               ///< for t = 0..T-1
  AicoTask task = {};                       ///< for t = 0..T

  Eigen::Index control_size() const { return control_cost.rows(); }

  /// Throws std::invalid_argument, with a message that begins with `caller`, if sizes disagree, H is not positive
  /// definite, S_0 is not symmetric or has a negative eigenvalue, something is not finite, or a function is missing.
  void check(const char* caller) const;
};

/// The same linear step at all times, or one each (T of them). Throws std::invalid_argument for sizes that disagree.
AicoDynamics linear_dynamics(LinearStep step);
AicoDynamics linear_dynamics(std::vector<LinearStep> steps);

/// Dynamics, held by value.
template <DiscreteDynamics D>
AicoDynamics discrete_dynamics(D dynamics) {
  return [g = std::move(dynamics)](int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                                   LinearStep* step) {
    if (!step) return g.step(x, u, next);
    const StepStatus status = g.step(x, u, next, step->A, step->B);
    if (status == StepStatus::ok) step->a = next - step->A * x - step->B * u;
    return status;
  };
}

}  // namespace quoin::planning
