// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/surface_mesh.hpp"

#include <Eigen/Core>

#include <optional>

namespace quoin::swimmer {

/// Mass properties of a rigid link, in its own frame.
struct LinkInertia {
  double mass = 0;                                    ///< kg
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   ///< centre of mass, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, kg m^2
};

/// A rigid part of a swimmer.
struct Link {
  SurfaceMesh surface = {};  ///< closed, triangles counter-clockwise seen from outside; in the link's frame, m
  double density = 1000;     ///< of the solid inside the surface, kg/m^3
  /// The mass properties, if they are not those of a solid of constant density. A link that has them needs no surface
  /// unless boundary elements are used.
  std::optional<LinkInertia> inertia = {};
};

}  // namespace quoin::swimmer
