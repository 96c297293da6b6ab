// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/simplex_mesh.hpp"
#include "quoin/util/abi_check.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>

namespace quoin::io {

/// Reads a mesh of triangles (SpaceDim = 2) or tetrahedra (3) from a Gmsh file, format 2.2 or 4.1, ASCII.
///
///     SimplexMesh<3> arm = read_gmsh<3>("arm.msh");   // gmsh -3 arm.geo -format msh41 (or msh22)
///
/// - Elements of the mesh's own dimension become elements, oriented to positive volume; element_group is their physical
///   group (the first, of several), numbered from 0 in the order of the physical tags. Elements without a group
///   come last, as group "none".
/// - Physical groups of points, lines and (in 3D) surfaces become vertex_groups by their name; so do those of the
///   elements themselves. A group without a name is "physical <dimension> <tag>"; a name that occurs in two dimensions
///   gets the lower one's dimension appended ("tip 1D"). The lines of a group that form one open or closed path are
///   given as that chain of vertices (open: from the end that the file names first; closed: first vertex not
///   repeated); every other group is sorted.
/// - A vertex that no element uses is dropped, with its entry in the groups. If a file has elements in physical groups
///   and others outside of them, all are read.
/// - In 2D the mesh must lie in a plane z = constant.
///
/// A file that cannot be read in this way throws std::runtime_error with its name, the line number, and what to do.
/// Cost: linear in the file, with one hash lookup per node reference.
template <int SpaceDim>
SimplexMesh<SpaceDim> read_gmsh(const std::filesystem::path& file);

/// The same from a stream; `name` appears in messages.
template <int SpaceDim>
SimplexMesh<SpaceDim> read_gmsh(std::istream& in, const std::string& name);

extern template SimplexMesh<2> read_gmsh<2>(const std::filesystem::path&);
extern template SimplexMesh<3> read_gmsh<3>(const std::filesystem::path&);
extern template SimplexMesh<2> read_gmsh<2>(std::istream&, const std::string&);
extern template SimplexMesh<3> read_gmsh<3>(std::istream&, const std::string&);

}  // namespace quoin::io
