// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <string>

namespace quoin {

/// The surface of a solid in space, as flat triangles, counter-clockwise seen from outside.
struct SurfaceMesh {
  Eigen::Matrix3Xd vertices;   ///< 3 x V, in metres
  Eigen::Matrix3Xi triangles;  ///< 3 x T, indices of vertices
};

/// Throws std::invalid_argument, with a message that begins with `caller`, unless the mesh encloses a solid: every
/// vertex finite and in use, every index valid, no triangle without area, every edge in exactly two triangles that run
/// along it in opposite directions, and a positive volume within each connected piece (otherwise it is inside out,
/// flat, or the wall of a cavity). That triangles do not pierce each other is not checked. The message names the first
/// vertex, triangle, edge or volume at fault. O(T log T).
void require_closed_surface(const SurfaceMesh& mesh, const std::string& caller);

/// Moments of the solid that a closed surface encloses, at unit density.
struct SolidMoments {
  double volume;             ///< m^3
  Eigen::Vector3d centroid;  ///< m
  Eigen::Matrix3d inertia;   ///< about the centroid, m^5; times the density, kg m^2
};

/// Exact for the polyhedron: sums over the tetrahedra between the vertices' mean and each triangle. The surface must be
/// closed (`require_closed_surface`). O(T).
SolidMoments solid_moments(const SurfaceMesh& mesh);

}  // namespace quoin
