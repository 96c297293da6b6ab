// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/collocation/node_dynamics.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// Dynamics whose controls u are part of the state and whose control is du/dt: for plans without jumps of u, and for
/// bounds and costs of du/dt, such as actuators have.
///
///     CollocationProblem problem{.dynamics = with_control_rates(node_dynamics(arm)), ...};
///     const ControlRateState layout(node_dynamics(arm));
///     problem.lower_state.segment(layout.control_begin, layout.controls) = -torque_limit;
///     problem.lower_control = -torque_rate_limit;
///
/// The state is (x_1..x_known, u, the rest of x): with inverse dynamics (q, u, v); with explicit dynamics (u, x). The
/// rate w is (du/dt, w of the dynamics), the equation (du/dt - control, r).
NodeDynamics with_control_rates(NodeDynamics dynamics);

/// The positions of x and u in that state.
struct ControlRateState {
  /// sizes: of the leading part of x, of u, of the rest of x.
  Eigen::Index known, controls, rest;
  Eigen::Index control_begin;  ///< where u begins in the state

  /// The layout for these dynamics.
  explicit ControlRateState(const NodeDynamics& dynamics)
      : known(dynamics.state_size - dynamics.rate_size),
        controls(dynamics.control_size),
        rest(dynamics.rate_size),
        control_begin(known) {}

  /// x of a state: known + rest numbers.
  Eigen::VectorXd x(const Eigen::VectorXd& state) const {
    Eigen::VectorXd x(known + rest);
    x << state.head(known), state.tail(rest);
    return x;
  }
  /// u of a state: as many numbers as there are controls.
  Eigen::VectorXd u(const Eigen::VectorXd& state) const { return state.segment(known, controls); }
  /// The state that has this x and this u.
  Eigen::VectorXd state(const Eigen::VectorXd& x, const Eigen::VectorXd& u) const {
    Eigen::VectorXd state(known + controls + rest);
    state << x.head(known), u, x.tail(rest);
    return state;
  }
};

}  // namespace quoin::planning
