// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/hinge_transfer.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>

namespace quoin::swimmer::detail {

// The pose of the base in the integrators: planar [theta; x; y], spatial [position; quaternion x, y, z, w]. Rates under
// a body twist are equivariant: they commute with a motion of the world, so that a step from any pose is that pose
// times the step from the identity. For non-unit quaternions q, this uses q v q* as the rotated vector.
template <int Twist>
struct PoseIncrement;

template <>
struct PoseIncrement<3> {
  static constexpr int size = 3;
  using Pose = Eigen::Vector3d;
  using Tangent = Eigen::Vector3d;

  static Pose identity() { return Pose::Zero(); }

  static Pose rate(const Pose& pose, const Tangent& twist) {
    const double c = std::cos(pose[0]), s = std::sin(pose[0]);
    return {twist[0], c * twist[1] - s * twist[2], s * twist[1] + c * twist[2]};
  }
  static Pose rate(const Pose& pose, const Tangent& twist, Eigen::Matrix3d& by_pose, Eigen::Matrix3d& by_twist) {
    const double c = std::cos(pose[0]), s = std::sin(pose[0]);
    const Pose value = rate(pose, twist);
    by_pose.setZero();
    by_pose(1, 0) = -value[2];
    by_pose(2, 0) = value[1];
    by_twist << 1, 0, 0, 0, c, -s, 0, s, c;
    return value;
  }

  // The pose followed by the increment, with derivatives by both.
  static Pose compose(const Pose& pose, const Pose& increment) {
    const double c = std::cos(pose[0]), s = std::sin(pose[0]);
    return {pose[0] + increment[0], pose[1] + c * increment[1] - s * increment[2],
            pose[2] + s * increment[1] + c * increment[2]};
  }
  static void compose_slopes(const Pose& pose, const Pose& increment, Eigen::Matrix3d& by_pose,
                             Eigen::Matrix3d& by_increment) {
    const double c = std::cos(pose[0]), s = std::sin(pose[0]);
    by_pose.setIdentity();
    by_pose(1, 0) = -s * increment[1] - c * increment[2];
    by_pose(2, 0) = c * increment[1] - s * increment[2];
    by_increment << 1, 0, 0, 0, c, -s, 0, s, c;
  }

  static Eigen::Isometry3d isometry(const Pose& pose) {
    return Eigen::Translation3d(pose[1], pose[2], 0) * Eigen::AngleAxisd(pose[0], Eigen::Vector3d::UnitZ());
  }
  static Pose of(const Eigen::Isometry3d& t) {
    return {std::atan2(t.linear()(1, 0), t.linear()(0, 0)), t.translation().x(), t.translation().y()};
  }
};

template <>
struct PoseIncrement<6> {
  static constexpr int size = 7;
  using Pose = Eigen::Matrix<double, 7, 1>;
  using Tangent = Eigen::Matrix<double, 6, 1>;
  using Quaternion = Eigen::Vector4d;  // x, y, z, w

  static Pose identity() { return (Pose() << 0, 0, 0, 0, 0, 0, 1).finished(); }

  static Pose rate(const Pose& pose, const Tangent& twist) {
    const Quaternion e = pose.tail<4>();
    Pose value;
    value << rotation(e) * twist.tail<3>(), 0.5 * left(e).leftCols<3>() * twist.head<3>();
    return value;
  }
  static Pose rate(const Pose& pose, const Tangent& twist, Eigen::Matrix<double, 7, 7>& by_pose,
                   Eigen::Matrix<double, 7, 6>& by_twist) {
    const Quaternion e = pose.tail<4>();
    by_pose.setZero();
    by_pose.topRightCorner<3, 4>() = rotated_slope(e, twist.tail<3>());
    Quaternion omega;
    omega << 0.5 * twist.head<3>(), 0;
    by_pose.bottomRightCorner<4, 4>() = right(omega);
    by_twist.setZero();
    by_twist.topRightCorner<3, 3>() = rotation(e);
    by_twist.bottomLeftCorner<4, 3>() = 0.5 * left(e).leftCols<3>();
    return rate(pose, twist);
  }

  // The quaternion of the result has unit length; that of the pose need not.
  static Pose compose(const Pose& pose, const Pose& increment) {
    const Quaternion e = pose.tail<4>().normalized();
    Pose value;
    value << pose.head<3>() + rotation(e) * increment.head<3>(), (left(e) * increment.tail<4>()).normalized();
    return value;
  }
  static void compose_slopes(const Pose& pose, const Pose& increment, Eigen::Matrix<double, 7, 7>& by_pose,
                             Eigen::Matrix<double, 7, 7>& by_increment) {
    const Quaternion e = pose.tail<4>().normalized(), r = left(e) * increment.tail<4>();
    const Eigen::Matrix4d unit_e = normalization(pose.tail<4>()), unit_r = normalization(r);
    by_pose.setIdentity();
    by_pose.topRightCorner<3, 4>() = rotated_slope(e, increment.head<3>()) * unit_e;
    by_pose.bottomRightCorner<4, 4>() = unit_r * right(increment.tail<4>()) * unit_e;
    by_increment.setZero();
    by_increment.topLeftCorner<3, 3>() = rotation(e);
    by_increment.bottomRightCorner<4, 4>() = unit_r * left(e);
  }

  static Eigen::Isometry3d isometry(const Pose& pose) {
    return Eigen::Translation3d(pose.head<3>()) * Eigen::Quaterniond(Quaternion(pose.tail<4>().normalized()));
  }
  static Pose of(const Eigen::Isometry3d& t) {
    Pose value;
    value << t.translation(), Eigen::Quaterniond(t.linear()).normalized().coeffs();
    return value;
  }

 private:
  // v -> e v e*
  static Eigen::Matrix3d rotation(const Quaternion& e) {
    const Eigen::Vector3d u = e.head<3>();
    return (e[3] * e[3] - u.squaredNorm()) * Eigen::Matrix3d::Identity() + 2 * u * u.transpose() +
           2 * e[3] * cross_matrix(u);
  }
  // d(e v e*)/de
  static Eigen::Matrix<double, 3, 4> rotated_slope(const Quaternion& e, const Eigen::Vector3d& v) {
    const Eigen::Vector3d u = e.head<3>();
    Eigen::Matrix<double, 3, 4> slope;
    slope << -2 * v * u.transpose() + 2 * u * v.transpose() + 2 * u.dot(v) * Eigen::Matrix3d::Identity() -
                 2 * e[3] * cross_matrix(v),
        2 * e[3] * v + 2 * u.cross(v);
    return slope;
  }
  // left(a) b = right(b) a = a b
  static Eigen::Matrix4d left(const Quaternion& a) {
    Eigen::Matrix4d m;
    m << a[3] * Eigen::Matrix3d::Identity() + cross_matrix(a.head<3>()), a.head<3>(), -a.head<3>().transpose(), a[3];
    return m;
  }
  static Eigen::Matrix4d right(const Quaternion& b) {
    Eigen::Matrix4d m;
    m << b[3] * Eigen::Matrix3d::Identity() - cross_matrix(b.head<3>()), b.head<3>(), -b.head<3>().transpose(), b[3];
    return m;
  }
  static Eigen::Matrix4d normalization(const Quaternion& e) {
    const Quaternion unit = e.normalized();
    return (Eigen::Matrix4d::Identity() - unit * unit.transpose()) / e.norm();
  }
};

}  // namespace quoin::swimmer::detail
