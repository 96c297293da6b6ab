// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::rigid_body {

/// Joint accelerations qdd and their derivatives, n x n: dqdd_dq()(i, j) = d qdd_i / d q_j. The inverse of the mass
/// matrix is d qdd / d tau. NewtonEuler::forward_dynamics_derivatives fills it and resizes it if needed.
template <class Scalar>
class ForwardDynamicsDerivatives {
 public:
  /// Of any size.
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// n, rad/s^2 or m/s^2.
  const Vector& qdd() const { return qdd_; }
  /// n x n.
  auto dqdd_dq() const { return dq_.leftCols(qdd_.size()); }
  /// n x n.
  auto dqdd_dqd() const { return dqd_.leftCols(qdd_.size()); }
  /// n x n, the inverse of the mass matrix.
  auto dqdd_dtau() const { return dtau_.leftCols(qdd_.size()); }

 private:
  template <class>
  friend class NewtonEuler;

  void resize(Eigen::Index joints, Eigen::Index padded) {
    qdd_.resize(joints);
    dq_.resize(joints, padded);
    dqd_.resize(joints, padded);
    dtau_.resize(joints, padded);
  }

  Vector qdd_;
  Matrix dq_, dqd_, dtau_;  // columns beyond the joints fill the last pack
};

}  // namespace quoin::rigid_body
