// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/task_map.hpp"
#include "quoin/models/rigid_body/dynamics.hpp"

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace quoin::rigid_body {

/// Points that are fixed to links of a tree, as task maps take them (PointKinematics): chains along an arm, fingers,
/// landmarks anywhere, on any branch.
///
///     TreePoints arm(tree, {{tree.frame("upper")}, {tree.frame("lower")}, {tree.frame("hand"), {0, 0, 0.1}}});
///     arm.evaluate(q, points, jacobian);  // 3 x K, 3 K x n
///
/// O(K n). One thread's: it holds a Dynamics; copy it for every thread.
class TreePoints {
 public:
  struct Point {
    Frame frame = {};
    Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< in the frame's coordinates, m
  };

  TreePoints(RigidBodyTree tree, std::vector<Point> points)
      : kinematics_(std::move(tree)), points_(std::move(points)), one_(6, kinematics_.tree().joints()) {}

  Eigen::Index point_count() const { return static_cast<Eigen::Index>(points_.size()); }

  /// Throws std::invalid_argument for a q of another size.
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const {
    points.resize(3, point_count());
    for (Eigen::Index k = 0; k < point_count(); ++k) {
      const Point& point = points_[static_cast<std::size_t>(k)];
      points.col(k) = kinematics_.pose(q, point.frame) * point.place;
    }
  }

  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const {
    evaluate(q, points);
    jacobian.resize(3 * point_count(), one_.cols());
    for (Eigen::Index k = 0; k < point_count(); ++k) {
      const Point& point = points_[static_cast<std::size_t>(k)];
      kinematics_.jacobian(q, point.frame, point.place, one_);
      jacobian.middleRows(3 * k, 3) = one_.topRows(3);
    }
  }

 private:
  mutable Dynamics<> kinematics_;
  std::vector<Point> points_;
  mutable Eigen::MatrixXd one_;  // 6 x n
};

static_assert(PointKinematics<TreePoints>);

}  // namespace quoin::rigid_body
