// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "panel_mesh.hpp"

#include <Eigen/Core>

namespace quoin::swimmer {

/// What is found where two closed surfaces come near each other.
struct NearestPanel {
  bool pierced = false;         ///< an edge of the one passes through a panel of the other
  double distance;              ///< smallest distance of a vertex from a panel, in metres; infinite if none is near
  double fraction;              ///< smallest ratio of such a distance to the panel's longest edge
  int vertex = -1, panel = -1;  ///< where the ratio is smallest; where pierced, an end of the edge, and the panel
};

/// Vertices and edges of `mesh`, at `points` (3 x V) in the frame of `other`, against the panels of `other`. Panels are
/// only met within `reach` (m) of its bounding box.
NearestPanel nearest_panel(const PanelMesh& mesh, const Eigen::Matrix3Xd& points, const PanelMesh& other, double reach);

}  // namespace quoin::swimmer
