// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/rigid_body/link.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace quoin::rigid_body {

/// The links of a robot in a URDF file, for a RigidBodyTree: parents first, depth first, in the order of the file's
/// joints. The root is fixed in the world.
///
///     RigidBodyTree arm(read_urdf("iiwa7.urdf"));
///
/// Read: links with their inertial, joints that are revolute, continuous, prismatic or fixed, with origin, axis
/// (normalized; its length must be 1 to within 1e-3), limit, and dynamics (damping, friction). Ignored, since the
/// dynamics of the links do not depend on them: visual, collision, material, transmission, gazebo, sensor, calibration,
/// safety_controller. Everything else is refused: floating, planar and mimic joints, links and joints that do not form
/// a tree, elements and attributes that URDF does not have, a moving joint that carries no inertial, impossible bodies
/// (a negative mass; a principal moment of inertia that is negative or above the sum of the others, by more than 1 %),
/// numbers that RigidBodyTree refuses, more than 4 MB, and elements more than 100 deep.
/// Throws std::runtime_error with file, line, element and reason. Safe to call from several threads; while it runs, it
/// captures all output to console_bridge, through which urdfdom reports errors. Available only if the library was built
/// with urdfdom: QUOIN_HAS_URDF is then defined.
std::vector<Link> read_urdf(const std::filesystem::path& file);

/// The same from text; messages give `name` as the file.
std::vector<Link> parse_urdf(const std::string& text, const std::string& name = "URDF");

}  // namespace quoin::rigid_body
