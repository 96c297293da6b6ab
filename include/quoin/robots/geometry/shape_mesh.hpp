// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/shapes.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"

namespace quoin {

/// Closed surfaces of shapes, for pictures: vertices lie on the shape, which encloses the mesh; edges have about the
/// length `edge` (m) or less, and a circle has at least 10.
///
/// Throws std::invalid_argument for an unsound shape (`require_shape`), a capsule of radius 0, an edge that is not
/// positive and finite, or one so short that the mesh would have more than 1e7 vertices.
SurfaceMesh surface_of(const Capsule& capsule, double edge);
SurfaceMesh surface_of(const Box& box, double edge);
SurfaceMesh surface_of(const Obstacle& obstacle, double edge);

}  // namespace quoin
