// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <concepts>

namespace quoin {

/// Inverse dynamics of a mechanical system in continuous time: the n generalized forces that an acceleration requires:
///
///     forces(q, v, a) = M(q) a + C(q, v) v + G(q) + friction = B u,    x = (q, v), dx/dt = (v, a).
///
/// A collocation that keeps a as a variable needs no inverse of M and has simpler derivatives: dq, dv, da are n x n, da
/// the mass matrix. B = actuation() is n x m and constant. Outputs are resized as needed.
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
