// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/collision_model.hpp"
#include "quoin/robots/geometry/shapes.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include <array>
#include <string>
#include <vector>

namespace quoin::rigid_body {

/// A capsule fixed to a link.
struct LinkCapsule {
  std::string link;  ///< its name
  Capsule capsule;   ///< m, in the link's frame
};

/// A robot of capsules, for collisions: the bodies of a CollisionModel, and the points that they lie between.
struct RobotCapsules {
  TreePoints points;     ///< two for each capsule, in their order
  CollisionModel model;  ///< body i is capsule i
};

/// All capsules together, with the pairs of them that should keep apart:
///
///     RobotCapsules arm = robot_capsules(tree, read_urdf_capsules("iiwa7.urdf"));
///     CollisionChecker checker(arm.model);
///     MarginMap clear(arm.points, checker, 0.02);  // a task map of obstacles
///
/// A pair is left out where nothing can keep it apart: both on links that do not move against each other, or on
/// neighbours, links between which no other link with a capsule stands in the tree, as the forearm and the upper arm
/// whose capsules overlap at the elbow; and where it stands in `may_touch`, by the names of both links. Throws
/// std::invalid_argument for a link that the tree does not have, and unsound capsules.
RobotCapsules robot_capsules(const RigidBodyTree& tree, const std::vector<LinkCapsule>& capsules,
                             const std::vector<std::array<std::string, 2>>& may_touch = {});

}  // namespace quoin::rigid_body
