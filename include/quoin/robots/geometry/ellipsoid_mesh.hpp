// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/surface_mesh.hpp"

namespace quoin {

/// A closed mesh of the ellipsoid about the origin with these semi-axes along x, y and z: an icosahedron, each of whose
/// faces is cut into n^2 triangles, projected on the sphere and stretched; 10 n^2 + 2 vertices, 20 n^2 triangles.
///
/// The vertices lie on a similar ellipsoid, slightly larger, so that the mesh encloses the ellipsoid's true volume:
/// added masses of the mesh then converge at the same order with a smaller error. The mesh is its own mirror image in
/// the three coordinate planes.
///
/// Throws std::invalid_argument unless the semi-axes are positive and finite and 1 <= n <= 1000.
SurfaceMesh geodesic_ellipsoid(const Eigen::Vector3d& semi_axes, int n);

}  // namespace quoin
