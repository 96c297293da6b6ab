// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/link.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace quoin::rigid_body {

/// The links of a robot in a URDF file, parents first, depth first, in the order of the file's joints: for a
/// RigidBodyTree. The root stands fixed in the world.
///
///     RigidBodyTree arm(read_urdf("iiwa7.urdf"));
///
/// Read: links with their inertial, joints that are revolute, continuous, prismatic or fixed, with origin, axis (made
/// exactly a unit vector if it is one to 1e-3), limit, and dynamics (damping, friction). Passed over, since the dynamics of
/// the links do not depend on them: visual, collision, material, transmission, gazebo, sensor, calibration,
/// safety_controller. Anything else is refused: floating, planar and mimic joints, links and joints that are no tree,
/// elements and attributes that URDF does not have, a moving joint that carries no inertial at all, bodies that cannot be
/// (a negative mass; a principal moment of inertia that is negative or above the sum of the others, by more than 1 %),
/// numbers that RigidBodyTree refuses, more than 4 MB, and elements more than 100 deep.
/// Throws std::runtime_error with file, line, element and reason. Safe to call from several threads; while it runs, what
/// others write to console_bridge, which urdfdom complains through, is caught.
/// There only where the library was built with urdfdom: QUOIN_HAS_URDF is then defined.
std::vector<Link> read_urdf(const std::filesystem::path& file);

/// The same from text; `name` stands for the file in messages.
std::vector<Link> parse_urdf(const std::string& text, const std::string& name = "URDF");

}  // namespace quoin::rigid_body
