// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/rigid_body/detail/link_places.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::rigid_body {

/// Points fixed to links of a tree, for task maps (PointKinematics): chains along an arm, fingers, landmarks
/// anywhere, on any branch.
///
///     TreePoints arm(tree, {{tree.frame("upper")}, {tree.frame("lower")}, {tree.frame("hand"), {0, 0, 0.1}}});
///     arm.evaluate(q, points, jacobian);  // 3 x K, 3 K x n
///
/// O(n + K d), where d is the number of joints that move a point: the links are placed once for all points. Allocates
/// nothing except for outputs that grow. It holds the places of the links: use one copy per thread.
class TreePoints {
 public:
  /// A place on a link.
  struct Point {
    Frame frame = {};                                 ///< of a link, moving or fixed
    Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< in the frame's coordinates, m
  };

  /// Throws std::invalid_argument for a frame of a joint that the tree does not have.
  TreePoints(RigidBodyTree tree, const std::vector<Point>& points);

  Eigen::Index point_count() const { return static_cast<Eigen::Index>(points_.size()); }
  Fingerprint fingerprint() const;  ///< of joints, placements and points; masses do not count

  /// Throws std::invalid_argument for a q of another size.
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const;
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const;

 private:
  struct Fixed {
    int joint;                   // -1: the world
    detail::Vector3<double> at;  // in the turned axes of the joint's link
  };

  mutable detail::LinkPlaces links_;
  std::vector<Fixed> points_;
};

static_assert(PointKinematics<TreePoints>);

}  // namespace quoin::rigid_body
