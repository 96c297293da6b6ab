// SPDX-License-Identifier: BSD-3-Clause
#include "panel_mesh.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>
#include <numbers>
#include <utility>

namespace quoin::swimmer {

PanelMesh::PanelMesh(const SurfaceMesh& surface) {
  for (Eigen::Index i = 0; i < surface.vertices.cols(); ++i) {
    x.push_back(surface.vertices(0, i));
    y.push_back(surface.vertices(1, i));
    z.push_back(surface.vertices(2, i));
  }
  std::map<std::pair<int, int>, int> known;
  for (Eigen::Index f = 0; f < surface.triangles.cols(); ++f) {
    Panel panel;
    Eigen::Matrix3d corners, m;
    for (int i = 0; i < 3; ++i) {
      panel.vertex[i] = surface.triangles(i, f);
      corners.col(i) = surface.vertices.col(panel.vertex[i]);
    }
    const Eigen::Vector3d area = (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0));
    const Eigen::Vector3d normal = area.normalized();
    panel.twice_area = area.norm();
    panel.normal_offset = normal.dot(corners.rowwise().mean());
    for (int i = 0; i < 3; ++i) {
      const int from = panel.vertex[(i + 1) % 3], to = panel.vertex[(i + 2) % 3];
      const Eigen::Vector3d side = corners.col((i + 2) % 3) - corners.col((i + 1) % 3);
      const double length = side.norm();
      const auto [entry, fresh] =
          known.try_emplace({std::min(from, to), std::max(from, to)}, static_cast<int>(edges.size()));
      if (fresh) edges.push_back({std::min(from, to), std::max(from, to), length});
      panel.edge[i] = entry->second;
      panel.along[i] = from < to ? 1 : -1;
      m.col(i) = (side / length).cross(normal);
      panel.m_offset[i] = m.col(i).dot(corners.col((i + 1) % 3));
      panel.scale[i] = length / (4 * std::numbers::pi * panel.twice_area);
      panel.length_squared[i] = length * length;
    }
    for (int i = 0; i < 3; ++i) {
      panel.normal[i] = normal[i];
      for (int axis = 0; axis < 3; ++axis) panel.m[i][axis] = m(axis, i);
      panel.cosine[i] = m.col((i + 1) % 3).dot(m.col((i + 2) % 3));
    }
    panels.push_back(panel);
  }
}

Eigen::Matrix<double, Eigen::Dynamic, 6> normal_weights(const SurfaceMesh& surface) {
  Eigen::Matrix<double, Eigen::Dynamic, 6> weights(surface.vertices.cols(), 6);
  weights.setZero();
  for (Eigen::Index f = 0; f < surface.triangles.cols(); ++f) {
    const Eigen::Vector3i t = surface.triangles.col(f);
    Eigen::Matrix3d corners;
    for (int i = 0; i < 3; ++i) corners.col(i) = surface.vertices.col(t[i]);
    const Eigen::Vector3d area = (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)) / 2;
    // The products of shape functions integrate to area / 12, to area / 6 with themselves.
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector3d mean = (corners.col(i) + corners.rowwise().sum()) / 12;
      weights.row(t[i]).head<3>() += mean.cross(area).transpose();
      weights.row(t[i]).tail<3>() += area.transpose() / 3;
    }
  }
  return weights;
}

}  // namespace quoin::swimmer
