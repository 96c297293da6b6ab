// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

namespace quoin::swimmer {

/// Hinge k carries link k + 1 on an earlier link. At q = 0 the frames of all links are parallel to the base's (link 0);
/// a positive angle turns the carried link about the axis by the right hand.
struct Hinge {
  int parent = 0;                                       ///< link that carries, at most k
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();      ///< in the common orientation of q = 0; need not be a unit
  Eigen::Vector3d in_parent = Eigen::Vector3d::Zero();  ///< a point of the axis in the carrying link's frame, m
  Eigen::Vector3d in_link = Eigen::Vector3d::Zero();    ///< the same point in the carried link's frame, m
};

}  // namespace quoin::swimmer
