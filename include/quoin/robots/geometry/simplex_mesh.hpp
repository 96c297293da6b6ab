// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <map>
#include <string>
#include <vector>

namespace quoin {

/// A mesh of triangles (SpaceDim = 2) or tetrahedra (SpaceDim = 3), as a file or a generator gives it.
///
/// Elements are oriented so that their signed volume is positive.
template <int SpaceDim>
struct SimplexMesh {
  Eigen::Matrix<double, SpaceDim, Eigen::Dynamic> vertices;   ///< SpaceDim x V, in metres
  Eigen::Matrix<int, SpaceDim + 1, Eigen::Dynamic> elements;  ///< (SpaceDim + 1) x E, indices of vertices
  std::vector<int> element_group;                             ///< E; the group (material) of each element, from 0
  std::vector<std::string> element_group_names;               ///< name of each group
  std::map<std::string, std::vector<int>> vertex_groups;      ///< named sets of vertices, ascending; chains keep order
};

}  // namespace quoin
