// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "panel_mesh.hpp"

#include <Eigen/Core>

namespace quoin::swimmer {

/// The nearest approach of two closed surfaces.
struct NearestPanel {
  bool pierced = false;         ///< whether an edge of one surface passes through a panel of the other
  double distance;              ///< smallest distance of a vertex from a panel, in metres; infinite if none is near
  double fraction;              ///< smallest ratio of such a distance to the panel's longest edge
  int vertex = -1, panel = -1;  ///< where the ratio is smallest; if pierced, an end of the edge, and the panel
};

/// Checks vertices and edges of `mesh`, at `points` (3 x V) in the frame of `other`, against the panels of `other`, but
/// only those within `reach` (m) of the bounding box of `other`.
NearestPanel nearest_panel(const PanelMesh& mesh, const Eigen::Matrix3Xd& points, const PanelMesh& other, double reach);

}  // namespace quoin::swimmer
