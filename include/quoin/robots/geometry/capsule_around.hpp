// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/shapes.hpp"

#include <Eigen/Core>

namespace quoin {

/// A capsule that contains all of the points (3 x P, m), such as the vertices of a mesh: of least volume among those
/// along the points' three principal axes, through the middles of their extents. For a box, its 8 corners.
///
///     Capsule forearm = capsule_around(mesh.vertices);
///
/// Throws std::invalid_argument for no points, and for points that are not finite.
Capsule capsule_around(const Eigen::Matrix3Xd& points);

/// The capsule of least volume along the axis of a cylinder that contains it. radius: m, not negative; a, b: the
/// middles of its ends. Throws std::invalid_argument for a cylinder that is no Capsule either.
Capsule capsule_around_cylinder(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double radius);

}  // namespace quoin
