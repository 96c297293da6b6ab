// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/simplex_mesh.hpp"
#include "quoin/util/abi_check.hpp"

#include <map>
#include <string>
#include <vector>

namespace quoin::soft_arm {

/// Number of lines that pull an arm in the plane (2) or in space (4).
template <int SpaceDim>
inline constexpr int line_count = SpaceDim == 2 ? 2 : 4;

/// A meshed arm: its body, its materials, its clamped vertices and the course of its lines (Jia, Pan, Manocha 2019,
/// Fig. 1). `make_beam` and `arm_from_mesh` build it; `SoftArm` checks it.
///
/// In the plane the body is in plane strain, with depth `thickness`.
template <int SpaceDim>
struct ArmMesh : SimplexMesh<SpaceDim> {
  std::vector<int> clamped;             ///< vertices that never move
  std::vector<std::vector<int>> lines;  ///< line_count chains of vertices, from the anchor at the base to the tip
  std::vector<int> tip;                 ///< vertices of the last layer; a laser points along the ray ...
  std::vector<int> before_tip;          ///< ... from the mean of this layer through the mean of the last
  std::vector<double> young;            ///< Young's modulus of each element, Pa
  double poisson = 0.4;                 ///< Poisson's ratio, in (-1, 0.5)
  double density = 1000;                ///< kg / m^3
  double thickness = 1;                 ///< of a plane arm, m; unused in space
  double line_force = 1;                ///< F0, N: a line controlled by u pulls with the force F0 u
};

/// How a mesh describes an arm: names of vertex groups, materials and the course of the lines.
struct ArmDescription {
  std::string clamped = "clamped";        ///< vertex group that never moves
  std::vector<std::string> lines;         ///< line_count vertex groups, each in order from base to tip; consecutive
                                          ///< vertices are joined by the shortest path along edges of the mesh
  std::string tip = "tip";                ///< vertex group of the last layer
  std::string before_tip = "before_tip";  ///< vertex group of the layer before it
  std::map<std::string, double> young;    ///< Young's modulus of each element group, Pa
  double poisson = 0.4;                   ///< Poisson's ratio
  double density = 1000;                  ///< kg / m^3
  double thickness = 1;                   ///< of a plane arm, m
  double line_force = 1;                  ///< F0, N
};

/// An arm from any simplex mesh, for example one read from a Gmsh file:
///
///     auto arm = arm_from_mesh(read_gmsh<3>("arm.msh"),
///                              {.lines = {"line 1", "line 2", "line 3", "line 4"}, .young = {{"rubber", 5e5}}});
///
/// Throws std::invalid_argument that names the group, vertex or element at fault: a group that the mesh does not have,
/// an element group without a modulus, a line with fewer than two vertices or whose vertices no edges connect.
template <int SpaceDim>
ArmMesh<SpaceDim> arm_from_mesh(SimplexMesh<SpaceDim> mesh, const ArmDescription& description);

/// Checks all requirements on an ArmMesh; throws std::invalid_argument with the numbers of the first that is violated:
/// an index out of range, an element without positive volume, a vertex of no element, a line that leaves the edges of
/// the mesh or has no segment, a modulus that is not positive, a Poisson's ratio outside (-1, 0.5), nothing clamped.
template <int SpaceDim>
void check_arm(const ArmMesh<SpaceDim>& arm);

extern template ArmMesh<2> arm_from_mesh<2>(SimplexMesh<2>, const ArmDescription&);
extern template ArmMesh<3> arm_from_mesh<3>(SimplexMesh<3>, const ArmDescription&);
extern template void check_arm<2>(const ArmMesh<2>&);
extern template void check_arm<3>(const ArmMesh<3>&);

}  // namespace quoin::soft_arm
