// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::rigid_body {

/// Joint forces tau and their derivatives, n x n: dtau_dq()(i, j) = d tau_i / d q_j. The mass matrix is d tau / d qdd.
/// NewtonEuler::inverse_dynamics_derivatives fills it and resizes it if needed.
template <class Scalar>
class InverseDynamicsDerivatives {
 public:
  /// Of any size.
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  const Vector& tau() const { return tau_; }
  /// n x n.
  auto dtau_dq() const { return dq_.topRows(tau_.size()); }
  /// n x n.
  auto dtau_dqd() const { return dqd_.topRows(tau_.size()); }
  /// n x n, d tau / d qdd.
  auto mass_matrix() const { return dqdd_.topRows(tau_.size()); }

 private:
  template <class>
  friend class NewtonEuler;

  void resize(Eigen::Index joints, Eigen::Index padded) {
    tau_.resize(joints);
    dq_.resize(padded, joints);
    dqd_.resize(padded, joints);
    dqdd_.resize(padded, joints);
  }

  Vector tau_;
  Matrix dq_, dqd_, dqdd_;  // rows beyond the joints fill the last pack
};

}  // namespace quoin::rigid_body
