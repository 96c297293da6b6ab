// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// Time-continuous dynamics dx/dt = f(x, u), with derivatives: df_dx n x n, df_du n x m. Outputs are resized as needed;
/// they are unspecified unless the status is ok. Numerical failures are never thrown.
template <class D>
concept ContinuousDynamics = requires(const D& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                      Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx, Eigen::MatrixXd& df_du) {
  { d.state_size() } -> std::convertible_to<Eigen::Index>;
  { d.control_size() } -> std::convertible_to<Eigen::Index>;
  { d.rate(x, u, rate) } -> std::same_as<StepStatus>;
  { d.rate(x, u, rate, df_dx, df_du) } -> std::same_as<StepStatus>;
};

}  // namespace quoin
