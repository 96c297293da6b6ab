// SPDX-License-Identifier: BSD-3-Clause
// Small files of meshes and surfaces, and readers of their mutilated copies: std::runtime_error is a refusal, a mesh
// that does not hold together a std::logic_error.
#pragma once

#include "quoin/robots/io/gmsh.hpp"
#include "quoin/robots/io/surface_files.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace hostile {

inline const std::string gmsh_22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"wire\"\n2 3 "
    "\"soft\"\n$EndPhysicalNames\n$Nodes\n4\n"
    "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n$Elements\n4\n1 1 2 7 1 1 2\n2 1 2 7 1 2 3\n3 2 2 3 1 1 2 3\n"
    "4 2 2 3 1 1 3 4\n$EndElements\n";

inline const std::string gmsh_41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n0 1 \"clamped\"\n1 2 \"cable\"\n3 3 \"soft\"\n3 4 "
    "\"hard\"\n"
    "$EndPhysicalNames\n$Entities\n2 1 0 2\n1 0 0 0 1 1\n2 1 0 0 1 1\n1 0 0 0 1 1 1 1 2 0\n1 0 0 0 1 1 1 1 3 0\n"
    "2 0 0 0 1 1 1 1 4 0\n$EndEntities\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n"
    "$EndNodes\n$Elements\n5 6 1 6\n0 1 15 1\n1 1\n0 2 15 1\n2 2\n1 1 1 2\n3 5 4\n4 4 1\n3 1 4 1\n5 1 2 3 4\n3 2 4 1\n"
    "6 2 3 4 5\n$EndElements\n";

inline const std::string obj =
    "# a\nv 0 0 0\nv 1 0 0\nv 0 1 0 1.0\nvt 0 0\nvn 0 0 1\nf 1 2 3\nf -3/1/1 -2//1 \\\n 3/1\n";

inline const std::string stl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e-3 0\nendloop\nendfacet\n"
    "endsolid a\n";

inline std::string binary_stl() {
  std::string bytes(80, ' ');
  bytes += std::string("\2\0\0\0", 4);
  for (int t = 0; t < 2; ++t) {
    const float corners[12] = {0, 0, 1, 0, 0, 0, 1, 0.5F * static_cast<float>(t), 0, 0, 1, 1};
    bytes.append(reinterpret_cast<const char*>(corners), sizeof corners) += std::string(2, '\0');
  }
  return bytes;
}

template <int SpaceDim>
void read_mesh(const std::string& text) {
  std::istringstream in(text);
  const quoin::SimplexMesh<SpaceDim> mesh = quoin::io::read_gmsh<SpaceDim>(in, "hostile.msh");
  if (mesh.elements.minCoeff() < 0 || mesh.elements.maxCoeff() >= mesh.vertices.cols() || !mesh.vertices.allFinite())
    throw std::logic_error("a mesh that does not hold together was read");
}

template <quoin::SurfaceMesh (*read)(std::istream&, const std::string&)>
void read_surface_text(const std::string& text) {
  std::istringstream in(text);
  const quoin::SurfaceMesh mesh = read(in, "hostile");
  if (mesh.triangles.minCoeff() < 0 || mesh.triangles.maxCoeff() >= mesh.vertices.cols() || !mesh.vertices.allFinite())
    throw std::logic_error("a surface that does not hold together was read");
}

}  // namespace hostile
