// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/dynamics/inverse.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <functional>
#include <memory>
#include <utility>

namespace quoin::planning {

/// The equation of one node, with its derivatives, and room to compute them in: reuse it from call to call.
struct NodeEquation {
  Eigen::VectorXd r;           ///< k
  Eigen::MatrixXd dx, dw, du;  ///< k x n, k x k, k x m

  /// Room for inverse dynamics.
  Eigen::VectorXd q, v, force;
  /// Room for their derivatives.
  Eigen::MatrixXd dq, dv;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors;  ///< room for solving with dr_dw
};

/// Dynamics as collocation sees them: an equation r(x, w, u) = 0 (k) at one instant, where w (k) is the
/// unknown part of the rate,
///
///     dx/dt = (x_{k+1..n}, w):   inverse dynamics, x = (q, v), w = a:  r = forces(q, v, a) - B u,  n = 2 k,
///     dx/dt = w:                 explicit dynamics:                    r = w - f(x, u),            n = k.
///
/// With w a variable of its own all defects are linear, and only r has curvature. r is affine in w. Made by
/// `node_dynamics`; the functions are called with vectors of the right size, and resize their outputs.
struct NodeDynamics {
  using Vector = Eigen::VectorXd;
  Eigen::Index state_size = 0;    ///< n
  Eigen::Index rate_size = 0;     ///< k, from n / 2 to n
  Eigen::Index control_size = 0;  ///< m
  bool explicit_rate = false;     ///< dr_dw = 1
  bool affine_control = false;    ///< dr_du is constant
  std::function<StepStatus(const Vector& x, const Vector& w, const Vector& u, NodeEquation&)> value = {};  ///< r alone
  /// r, dx, dw and du.
  std::function<StepStatus(const Vector& x, const Vector& w, const Vector& u, NodeEquation&)> derivatives = {};
  /// Takes the states (n x M) of all nodes of which the equation will be asked; empty unless the dynamics are
  /// Hintable.
  std::function<void(const Eigen::MatrixXd& states)> hint = {};

  /// The w with r(x, w, u) = 0; `singular` where dr_dw is.
  StepStatus solve(const Vector& x, const Vector& u, Vector& w, NodeEquation& room) const;

  /// dx/dt of x and w.
  void rate(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& w, Eigen::Ref<Vector> out) const {
    const Eigen::Index known = state_size - rate_size;
    out.head(known) = x.tail(known);
    out.tail(rate_size) = w;
  }
};

/// NodeDynamics::hint of these dynamics.
template <class Dynamics>
std::function<void(const Eigen::MatrixXd& states)> hint_of(const std::shared_ptr<const Dynamics>& dynamics) {
  if constexpr (Hintable<Dynamics>) return [dynamics](const Eigen::MatrixXd& states) { dynamics->hint(states); };
  return {};
}

/// Shares the dynamics, which may be large or not copyable. Dynamics that offer both forms are used
/// in their inverse form.
template <ContinuousDynamics Dynamics>
  requires(!InverseDynamics<Dynamics>)
NodeDynamics node_dynamics(std::shared_ptr<const Dynamics> dynamics) {
  using Vector = Eigen::VectorXd;
  const Eigen::Index n = dynamics->state_size();
  return {.state_size = n,
          .rate_size = n,
          .control_size = dynamics->control_size(),
          .explicit_rate = true,
          .value =
              [dynamics](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
                const StepStatus status = dynamics->rate(x, u, node.force);
                if (status == StepStatus::ok) node.r = w - node.force;
                return status;
              },
          .derivatives =
              [dynamics](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
                const StepStatus status = dynamics->rate(x, u, node.force, node.dx, node.du);
                if (status != StepStatus::ok) return status;
                node.r = w - node.force;
                node.dx *= -1;
                node.du *= -1;
                node.dw.setIdentity(w.size(), w.size());
                return status;
              },
          .hint = hint_of(dynamics)};
}

/// Shares the dynamics with whoever else holds them.
template <InverseDynamics Dynamics>
NodeDynamics node_dynamics(std::shared_ptr<const Dynamics> dynamics) {
  using Vector = Eigen::VectorXd;
  const Eigen::Index k = dynamics->coordinates();
  const Eigen::MatrixXd B = dynamics->actuation();
  return {.state_size = 2 * k,
          .rate_size = k,
          .control_size = B.cols(),
          .affine_control = true,
          .value =
              [dynamics, B, k](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
                node.q = x.head(k);
                node.v = x.tail(k);
                const StepStatus status = dynamics->inverse_dynamics(node.q, node.v, w, node.r);
                if (status == StepStatus::ok) node.r.noalias() -= B * u;
                return status;
              },
          .derivatives =
              [dynamics, B, k](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
                node.q = x.head(k);
                node.v = x.tail(k);
                const StepStatus status =
                    dynamics->inverse_dynamics(node.q, node.v, w, node.r, node.dq, node.dv, node.dw);
                if (status != StepStatus::ok) return status;
                node.r.noalias() -= B * u;
                node.dx.resize(k, 2 * k);
                node.dx.leftCols(k) = node.dq;
                node.dx.rightCols(k) = node.dv;
                node.du = -B;
                return status;
              },
          .hint = hint_of(dynamics)};
}

/// Holds the dynamics by value.
template <class Dynamics>
  requires ContinuousDynamics<Dynamics> || InverseDynamics<Dynamics>
NodeDynamics node_dynamics(Dynamics dynamics) {
  return node_dynamics(std::shared_ptr<const Dynamics>(std::make_shared<Dynamics>(std::move(dynamics))));
}

}  // namespace quoin::planning
