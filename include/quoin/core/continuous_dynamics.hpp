// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// Time-continuous dynamics dx/dt = a(x, u), with derivatives. The outputs are resized where they must be.
template <class D>
concept ContinuousDynamics = requires(const D& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                      Eigen::VectorXd& xdot, Eigen::MatrixXd& dxdot_dx, Eigen::MatrixXd& dxdot_du) {
  { d.state_size() } -> std::convertible_to<Eigen::Index>;
  { d.control_size() } -> std::convertible_to<Eigen::Index>;
  { d.derivative(x, u, xdot) } -> std::same_as<void>;
  { d.derivative(x, u, xdot, dxdot_dx, dxdot_du) } -> std::same_as<void>;
};

}  // namespace quoin
