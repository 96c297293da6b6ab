// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Geometry>

#include <string_view>
#include <variant>
#include <vector>

namespace quoin {

/// All points within `radius` of the segment from a to b, such as a link or a pole, in metres. a == b gives a sphere,
/// radius 0 a segment, both together a point.
struct Capsule {
  /// The ends of the axis, m.
  Eigen::Vector3d a, b;
  double radius = 0;  ///< not negative

  /// The ball around that point.
  static Capsule sphere(const Eigen::Vector3d& center, double radius) { return {center, center, radius}; }
  /// The segment from a to b, without thickness.
  static Capsule segment(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return {a, b, 0}; }
};

/// A solid box: the points whose coordinates in the frame `pose` (box to world) are within the half extents.
struct Box {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< box to world, m
  Eigen::Vector3d half_extents;                            ///< m, positive
};

/// A body with which a robot may collide.
using Obstacle = std::variant<Capsule, Box>;
/// All that a robot may collide with; their order numbers them.
using Obstacles = std::vector<Obstacle>;

/// Throws std::invalid_argument, with a message that begins with `caller`, unless the shape is finite, the radius not
/// negative, the half extents positive and the pose a rotation (to 1e-9) with a translation. The message names the
/// number at fault.
void require_shape(const Capsule& capsule, std::string_view caller);
void require_shape(const Box& box, std::string_view caller);

}  // namespace quoin
