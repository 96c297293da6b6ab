// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// Time-continuous dynamics dx/dt = f(x, u), with derivatives: df_dx n x n, df_du n x m. The outputs are resized where
/// they must be; unless the status is ok they are unspecified. Nothing is thrown for numerical reasons.
template <class D>
concept ContinuousDynamics = requires(const D& d, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                      Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx, Eigen::MatrixXd& df_du) {
  { d.state_size() } -> std::convertible_to<Eigen::Index>;
  { d.control_size() } -> std::convertible_to<Eigen::Index>;
  { d.rate(x, u, rate) } -> std::same_as<StepStatus>;
  { d.rate(x, u, rate, df_dx, df_du) } -> std::same_as<StepStatus>;
};

/// The same for a mechanical system, by its inverse dynamics: the generalized forces (n) that an acceleration takes,
///
///     forces(q, v, a) = M(q) a + C(q, v) v + G(q) + friction = B u,    x = (q, v), dx/dt = (v, a).
///
/// A collocation that keeps a as a variable needs no inverse of M and has simpler derivatives: dq, dv, da are n x n,
/// da the mass matrix. B = actuation() is n x m and constant. The outputs are resized where they must be.
template <class D>
concept InverseDynamics =
    requires(const D& d, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
             Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv, Eigen::MatrixXd& da) {
      { d.coordinates() } -> std::convertible_to<Eigen::Index>;
      { d.actuation() } -> std::convertible_to<Eigen::MatrixXd>;
      { d.inverse_dynamics(q, v, a, forces) } -> std::same_as<StepStatus>;
      { d.inverse_dynamics(q, v, a, forces, dq, dv, da) } -> std::same_as<StepStatus>;
    };

}  // namespace quoin
