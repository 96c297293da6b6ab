// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/link.hpp"
#include "quoin/robots/models/rigid_body/robot_capsules.hpp"

#include <Eigen/Core>

#include <filesystem>
#include <functional>
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
/// dynamics of the links do not depend on them: visual, collision (read_urdf_capsules reads it), material,
/// transmission, gazebo, sensor, calibration, safety_controller. Everything else is refused: floating, planar and mimic
/// joints, links and joints that do not form a tree, elements and attributes that URDF does not have, a moving joint
/// that carries no inertial, impossible bodies (a negative mass; a principal moment of inertia that is negative or
/// above the sum of the others, by more than 1 %), numbers that RigidBodyTree refuses, more than 4 MB, and elements
/// more than 100 deep. Throws std::runtime_error with file, line, element and reason. Safe to call from several
/// threads; while it runs, it captures all output to console_bridge, through which urdfdom reports errors. Available
/// only if the library was built with urdfdom: QUOIN_HAS_URDF is then defined.
std::vector<Link> read_urdf(const std::filesystem::path& file);

/// The same from text; messages give `name` as the file.
std::vector<Link> parse_urdf(const std::string& text, const std::string& name = "URDF");

/// Loads the vertices (3 x V) of a mesh, in its own units, by the `filename` of a URDF's mesh, such as
/// "package://arm/meshes/link_1.stl". How packages are found is the caller's business; io reads surfaces.
using UrdfMeshes = std::function<Eigen::Matrix3Xd(const std::string& filename)>;

/// Capsules around the collision shapes of a robot's links, one each, for robot_capsules: a sphere is one itself,
/// cylinders, boxes and meshes are contained in theirs (capsule_around), so that what keeps the capsules apart keeps
/// the shapes apart.
///
///     auto capsules = read_urdf_capsules("arm.urdf", [](const std::string& name) {
///       return io::read_surface(meshes / std::filesystem::path(name).filename()).vertices;
///     });
///
/// In the order of read_urdf's links. Throws std::runtime_error as read_urdf does, for sizes that are negative or not
/// finite, and for a mesh where `meshes` is empty. A std::invalid_argument of `meshes` comes as a std::runtime_error
/// that names the link; what else it throws passes through.
std::vector<LinkCapsule> read_urdf_capsules(const std::filesystem::path& file, const UrdfMeshes& meshes = {});

/// The same from text; messages give `name` as the file.
std::vector<LinkCapsule> parse_urdf_capsules(const std::string& text, const UrdfMeshes& meshes = {},
                                             const std::string& name = "URDF");

}  // namespace quoin::rigid_body
