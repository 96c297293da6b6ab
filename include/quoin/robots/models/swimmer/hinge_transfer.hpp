// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/hinge.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>

namespace quoin::swimmer {

/// The matrix of a x.
inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  return (Eigen::Matrix3d() << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0).finished();
}

/// How a hinge transmits a body twist: the child link's twist is X(q) times the parent's plus the screw times the rate
/// of the hinge. The screw does not depend on q, and dX/dq = -ad(screw) X, so that all derivatives of velocities are
/// products of these (e.g. Murray, Li, Sastry 1994, 3.4).
///
/// Size 6: twists [omega; v]. Size 3: planar twists (omega_z, v_x, v_y), for a hinge along +z or -z.
template <int Size>
class HingeTransfer {
 public:
  static_assert(Size == 3 || Size == 6);
  /// Of twists.
  using Matrix = Eigen::Matrix<double, Size, Size>;
  /// As the class comment says.
  using Twist = Eigen::Matrix<double, Size, 1>;

  HingeTransfer() = default;
  /// hinge: from a Swimmer, so that its axis has unit length.
  explicit HingeTransfer(const Hinge& hinge) : parent_(hinge.parent), hinge_(hinge) {
    if constexpr (Size == 6) {
      screw_ << hinge.axis, hinge.in_link.cross(hinge.axis);
      const Eigen::Matrix3d omega = cross_matrix(screw_.template head<3>());
      minus_ad_.setZero();
      minus_ad_.template topLeftCorner<3, 3>() = minus_ad_.template bottomRightCorner<3, 3>() = -omega;
      minus_ad_.template bottomLeftCorner<3, 3>() = -cross_matrix(screw_.template tail<3>());
    } else {
      const double sign = hinge.axis.z();
      screw_ << sign, sign * hinge.in_link.y(), -sign * hinge.in_link.x();
      minus_ad_ << 0, 0, 0, -screw_[2], 0, screw_[0], screw_[1], -screw_[0], 0;
    }
  }

  /// Number of the parent link.
  int parent() const { return parent_; }
  /// Twist of the child per unit rate of the hinge.
  const Twist& screw() const { return screw_; }
  /// dX/dq = minus_ad() * X.
  const Matrix& minus_ad() const { return minus_ad_; }

  /// X at an angle in rad.
  Matrix operator()(double q) const {
    Matrix X;
    if constexpr (Size == 6) {
      const Eigen::Matrix3d E = Eigen::AngleAxisd(-q, hinge_.axis).toRotationMatrix();
      X.template topLeftCorner<3, 3>() = X.template bottomRightCorner<3, 3>() = E;
      X.template topRightCorner<3, 3>().setZero();
      X.template bottomLeftCorner<3, 3>() = cross_matrix(hinge_.in_link) * E - E * cross_matrix(hinge_.in_parent);
    } else {
      const double angle = hinge_.axis.z() * q, c = std::cos(angle), s = std::sin(angle);
      const Eigen::Vector3d &a = hinge_.in_parent, &b = hinge_.in_link;
      X << 1, 0, 0, -c * a.y() + s * a.x() + b.y(), c, s, s * a.y() + c * a.x() - b.x(), -s, c;
    }
    return X;
  }

 private:
  int parent_ = 0;
  Hinge hinge_;
  Twist screw_ = Twist::Zero();
  Matrix minus_ad_ = Matrix::Zero();
};

}  // namespace quoin::swimmer
