// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::swimmer {

/// Hinge k connects link k + 1 to an earlier link. At q = 0 the frames of all links are parallel to the base's
/// (link 0); a positive angle turns link k + 1 about the axis by the right-hand rule.
struct Hinge {
  int parent = 0;                                       ///< the earlier link, at most k
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();      ///< in the common orientation at q = 0, of any length
  Eigen::Vector3d in_parent = Eigen::Vector3d::Zero();  ///< a point of the axis in the frame of the earlier link, m
  Eigen::Vector3d in_link = Eigen::Vector3d::Zero();    ///< the same point in the frame of link k + 1, m
};

}  // namespace quoin::swimmer
