// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/soft_arm/arm_mesh.hpp"

#include <optional>

namespace quoin::soft_arm {

/// The arm that make_beam builds. The defaults are the library's standard arm: 5 x 5 x 21 vertices (5 x 21 in the
/// plane), slender enough (L/W = 10) that a line may push with u = -1.5 before the arm buckles.
struct BeamOptions {
  double length = 0.5;      ///< L, m, along the last axis; the base lies at 0
  double width = 0.05;      ///< W, m, along every other axis, centred at 0; also the thickness of a plane arm
  int cells_across = 4;     ///< even, for a mesh that is its own mirror image
  int cells_along = 20;     ///< layers of cells
  double young = 5e5;       ///< Young's modulus of the soft material, Pa
  double stiff_ratio = 10;  ///< ratio of the stiff material's modulus to the soft one's
  int stiff_every = 5;      ///< spacing of stiff layers (5: the 5th, 10th, ...); 0: none but the cap
  bool stiff_cap = true;    ///< the last layer is stiff: it spreads the force of the lines' anchors, which would
                            ///< otherwise crush the elements around them
  double poisson = 0.4;     ///< Poisson's ratio of both materials
  double density = 1000;    ///< of both materials, kg / m^3
  std::optional<double> line_force = {};  ///< F0, N; by default such that u = 1 on one line bends a beam of
                                          ///< the soft material by 1 rad
};

/// A straight beam of square section, clamped at its base, with a line along each long edge (the two sides in the
/// plane): along +y in the plane, lines at x = -W/2 and +W/2; along +z in space, lines at
/// (-,-), (+,-), (+,+), (-,+). Each square is cut into 2 triangles, each cube into 5 tetrahedra, of alternating
/// parity. Element groups: "soft", "stiff".
///
/// The default F0 is sqrt(2) E W^3 / (12 L) in space, E W^2 t / (6 L (1 - nu^2)) in the plane: u = 1 on one line bends
/// an Euler-Bernoulli beam of the soft material alone by 1 rad (the default arm, a fifth of it stiff, by 0.82 rad, and
/// its mesh, which is too stiff, by 0.56 rad). In space the default arm buckles at u = -1.77 on all four lines and at
/// -1.9 on one (docs/robots/soft_arm.md).
///
/// Throws std::invalid_argument for sizes that are not positive or an odd number of cells across.
template <int SpaceDim>
ArmMesh<SpaceDim> make_beam(const BeamOptions& options = {});

extern template ArmMesh<2> make_beam<2>(const BeamOptions&);
extern template ArmMesh<3> make_beam<3>(const BeamOptions&);

}  // namespace quoin::soft_arm
