// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/surface_mesh.hpp"

#include <vector>

namespace quoin::swimmer {

/// A closed surface for the integrals of its panels: everything per edge and per panel that does
/// not depend on the point.
///
/// Within a panel, edge i is opposite vertex i and runs counter-clockwise from vertex i + 1 to vertex i + 2; m[i] is
/// its outward normal in the panel's plane.
struct PanelMesh {
  struct Edge {
    int a, b;  // a < b
    double length;
  };
  struct Panel {
    int vertex[3];
    int edge[3];
    double along[3];  // +1 if the panel runs edge i from a to b, else -1
    double normal[3], normal_offset;
    double m[3][3], m_offset[3];  // m[i] . y on edge i
    double cosine[3];             // m[i + 1] . m[i + 2]
    double scale[3];              // 1 / (4 pi * height above edge i)
    double length_squared[3];
    double twice_area;
  };

  explicit PanelMesh(const SurfaceMesh& surface);

  std::vector<double> x, y, z;  // vertices
  std::vector<Edge> edges;
  std::vector<Panel> panels;
};

/// Integrals of (shape function of vertex i) * (normal velocity under unit twist c): vertices x 6.
Eigen::Matrix<double, Eigen::Dynamic, 6> normal_weights(const SurfaceMesh& surface);

}  // namespace quoin::swimmer
