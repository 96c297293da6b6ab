// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quoin::io::detail {

/// A type of element in Gmsh's numbering (Gmsh reference manual, "MSH file format"); nodes = 0: not known.
struct GmshElementType {
  int dimension = 0;
  int nodes = 0;
  const char* name = "";
};

GmshElementType gmsh_element_type(std::int64_t type);

inline constexpr int gmsh_line = 1;
inline constexpr int gmsh_triangle = 2;
inline constexpr int gmsh_tetrahedron = 4;

using PhysicalGroup = std::pair<int, int>;  ///< dimension, tag

/// The contents of a Gmsh file, whatever its version: node indices count from 0 in the order of the file.
struct GmshFile {
  struct Element {
    int type;
    int line;                  // of the file
    std::size_t groups;        // in `group_lists`
    std::array<int, 4> nodes;  // the first four; further ones are not needed
  };

  std::vector<Eigen::Vector3d> nodes;
  std::vector<Element> elements;
  std::vector<std::vector<int>> group_lists = {{}};  // tags of physical groups; the first list is empty
  std::map<PhysicalGroup, std::string> physical_names;
};

/// Throws std::runtime_error with `name` and the line number.
GmshFile parse_gmsh(std::string_view text, const std::string& name);

}  // namespace quoin::io::detail
