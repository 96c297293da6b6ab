// SPDX-License-Identifier: BSD-3-Clause
#include "panel_contact.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace quoin::swimmer {
namespace {

using Box = Eigen::AlignedBox3d;

Eigen::Vector3d position(const PanelMesh& mesh, int vertex) {
  const auto at = static_cast<std::size_t>(vertex);
  return {mesh.x[at], mesh.y[at], mesh.z[at]};
}

double squared_distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const double along = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - along * (b - a)).squaredNorm();
}

double distance_to_panel(const Eigen::Vector3d& p, const PanelMesh& mesh, const PanelMesh::Panel& panel) {
  bool above = true;
  for (int i = 0; i < 3; ++i) above = above && Eigen::Vector3d(panel.m[i]).dot(p) <= panel.m_offset[i];
  if (above) return std::abs(Eigen::Vector3d(panel.normal).dot(p) - panel.normal_offset);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i)
    least = std::min(least, squared_distance_to_segment(p, position(mesh, panel.vertex[(i + 1) % 3]),
                                                        position(mesh, panel.vertex[(i + 2) % 3])));
  return std::sqrt(least);
}

bool pierces(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const PanelMesh::Panel& panel) {
  const Eigen::Vector3d normal(panel.normal);
  const double from = normal.dot(a) - panel.normal_offset, to = normal.dot(b) - panel.normal_offset;
  if ((from > 0) == (to > 0)) return false;
  const Eigen::Vector3d crossing = a + from / (from - to) * (b - a);
  for (int i = 0; i < 3; ++i)
    if (Eigen::Vector3d(panel.m[i]).dot(crossing) > panel.m_offset[i]) return false;
  return true;
}

Box grown(Box box, double by) {
  box.min().array() -= by;
  box.max().array() += by;
  return box;
}

Box box_of(const PanelMesh& mesh) {
  Box box;
  for (std::size_t i = 0; i < mesh.x.size(); ++i) box.extend(Eigen::Vector3d(mesh.x[i], mesh.y[i], mesh.z[i]));
  return box;
}

struct Candidates {  // vertices and edges of the mesh, with the box around them
  std::vector<int> vertices, edges;
  Box box;
};

Candidates candidates(const PanelMesh& mesh, const Eigen::Matrix3Xd& points, const Box& near) {
  Candidates found;
  Box all;
  for (Eigen::Index i = 0; i < points.cols(); ++i) all.extend(Eigen::Vector3d(points.col(i)));
  if (!all.intersects(near)) return found;
  for (Eigen::Index i = 0; i < points.cols(); ++i)
    if (near.contains(points.col(i))) {
      found.vertices.push_back(static_cast<int>(i));
      found.box.extend(Eigen::Vector3d(points.col(i)));
    }
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    Box edge(Eigen::Vector3d(points.col(mesh.edges[e].a)));
    edge.extend(Eigen::Vector3d(points.col(mesh.edges[e].b)));
    if (!edge.intersects(near)) continue;
    found.edges.push_back(static_cast<int>(e));
    found.box.extend(edge);
  }
  return found;
}

}  // namespace

NearestPanel nearest_panel(const PanelMesh& mesh, const Eigen::Matrix3Xd& points, const PanelMesh& other,
                           double reach) {
  NearestPanel nearest;
  nearest.distance = nearest.fraction = std::numeric_limits<double>::infinity();
  const auto near = candidates(mesh, points, grown(box_of(other), reach));
  if (near.box.isEmpty()) return nearest;
  const Box around = grown(near.box, reach);
  for (std::size_t f = 0; f < other.panels.size(); ++f) {
    const auto& panel = other.panels[f];
    Box box;
    for (int vertex : panel.vertex) box.extend(position(other, vertex));
    if (!box.intersects(around)) continue;
    const Box close = grown(box, reach);
    const double longest = std::sqrt(*std::max_element(panel.length_squared, panel.length_squared + 3));
    for (int vertex : near.vertices) {
      const Eigen::Vector3d p = points.col(vertex);
      if (!close.contains(p)) continue;
      const double distance = distance_to_panel(p, other, panel);
      nearest.distance = std::min(nearest.distance, distance);
      if (distance / longest < nearest.fraction) {
        nearest.fraction = distance / longest;
        nearest.vertex = vertex;
        nearest.panel = static_cast<int>(f);
      }
    }
    for (int e : near.edges) {
      const auto& edge = mesh.edges[static_cast<std::size_t>(e)];
      const Eigen::Vector3d a = points.col(edge.a), b = points.col(edge.b);
      Box ends(a);
      ends.extend(b);
      if (!ends.intersects(box) || !pierces(a, b, panel)) continue;
      nearest.pierced = true;
      nearest.distance = nearest.fraction = 0;
      nearest.vertex = edge.a;
      nearest.panel = static_cast<int>(f);
      return nearest;
    }
  }
  return nearest;
}

}  // namespace quoin::swimmer
