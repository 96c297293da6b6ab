// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/fcl/fcl_distances.hpp"

#include <fcl/geometry/collision_geometry.h>

#include <memory>
#include <string>

namespace quoin::fcl_detail {

/// A shape as FCL has it, and what is asked of it before.
struct Placed {
  FclShape shape;
  std::shared_ptr<const fcl::CollisionGeometryd> geometry;
  Eigen::Isometry3d placement;  ///< of FCL's shape in the frame that carries it
  bool mesh;                    ///< triangles, without a depth
  Eigen::Vector3d centre;       ///< of a ball around it, in the frame
  double radius;
};

/// Throws std::invalid_argument, with a message that begins with `who`, for what FclDistances refuses. FCL's objects
/// are made by std::make_shared: FCL's own deleting destructors would give Eigen's memory back where -march=native
/// allocates it otherwise.
Placed placed(const FclShape& shape, const std::string& who);

}  // namespace quoin::fcl_detail
