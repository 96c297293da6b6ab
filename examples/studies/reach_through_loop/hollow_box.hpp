// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/geometry/shapes.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace studies::loop {

/// A box without a lid: four walls and a back. Its frame is in the middle of the mouth, z points into the box. The rim
/// of the mouth is the loop to reach through.
struct HollowBox {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  double side = 0.34;        ///< of the rim, m: between the middles of opposite walls
  double depth = 0.3;        ///< m
  double thickness = 0.02;   ///< of the walls, m
  double goal_depth = 0.14;  ///< of the goal behind the mouth, m

  Obstacles obstacles() const;             ///< 5 boxes
  Eigen::Matrix3Xd rim() const;            ///< 3 x 5, closed: right-handed about z
  Eigen::Matrix3Xd rim_landmarks() const;  ///< 3 x 8: corners and middles of the sides
  Eigen::Vector3d goal() const;
  /// Points of a rod that reaches the goal along the axis of the box, at these distances from its tip: 3 x lengths.
  Eigen::Matrix3Xd rod_on_axis(const Eigen::VectorXd& from_tip) const;

  /// Moved by an offset, m, and turned about the middle of its mouth by a rotation vector, rad, both in the world.
  HollowBox moved(const Eigen::Vector3d& offset, const Eigen::Vector3d& turn = Eigen::Vector3d::Zero()) const;
};

/// How often a chain (3 x K) passes through the flat surface bounded by the rim, inwards minus outwards: the linking
/// number of the rim and the chain, closed around the outside. Rounding decides where the chain touches the rim.
int crossings(const Eigen::Matrix3Xd& chain, const HollowBox& box);

}  // namespace studies::loop
