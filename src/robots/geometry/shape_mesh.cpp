// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/shape_mesh.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin {
namespace {

using Triangle = std::array<int, 3>;

SurfaceMesh mesh_of(const std::vector<Eigen::Vector3d>& vertices, const std::vector<Triangle>& triangles) {
  SurfaceMesh mesh{Eigen::Matrix3Xd(3, vertices.size()), Eigen::Matrix3Xi(3, triangles.size())};
  for (std::size_t v = 0; v < vertices.size(); ++v) mesh.vertices.col(static_cast<Eigen::Index>(v)) = vertices[v];
  for (std::size_t k = 0; k < triangles.size(); ++k)
    mesh.triangles.col(static_cast<Eigen::Index>(k)) << triangles[k][0], triangles[k][1], triangles[k][2];
  return mesh;
}

/// The number of edges that cover a length; a double, since it may exceed an int.
double edges_along(double length, double edge) { return std::max(1.0, std::ceil(length / edge - 1e-9)); }

void require_edge(double edge) {
  if (!(edge > 0) || !std::isfinite(edge)) throw std::invalid_argument("surface_of: edges of " + to_text(edge) + " m");
}

void require_count(double vertices, double edge) {
  if (!(vertices <= 1e7))
    throw std::invalid_argument("surface_of: edges of " + to_text(edge) + " m are too short: the mesh would have " +
                                to_text(vertices) + " vertices");
}

}  // namespace

SurfaceMesh surface_of(const Capsule& capsule, double edge) {
  require_shape(capsule, "surface_of");
  require_edge(edge);
  if (capsule.radius == 0) throw std::invalid_argument("surface_of: a capsule of radius 0 has no surface");
  const Eigen::Vector3d along = capsule.b - capsule.a;
  const double length = along.norm();
  const Eigen::Vector3d axis = length > 0 ? Eigen::Vector3d(along / length) : Eigen::Vector3d::UnitZ();
  const Eigen::Vector3d u = axis.unitOrthogonal(), v = axis.cross(u);
  const double circle = std::max(10.0, edges_along(2 * std::numbers::pi * capsule.radius, edge));
  const double along_axis = length > 0 ? edges_along(length, edge) : 0;
  require_count(circle * (0.5 * circle + along_axis + 3), edge);
  const int around = static_cast<int>(circle), straight = static_cast<int>(along_axis);
  const int cap = std::max(2, (around + 2) / 4);

  // Rings from the pole at a to the pole at b; the poles themselves come last.
  std::vector<Eigen::Vector3d> vertices;
  const auto add_ring = [&](const Eigen::Vector3d& center, double latitude) {
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      vertices.push_back(center + capsule.radius * (std::sin(latitude) * axis +
                                                    std::cos(latitude) * (std::cos(angle) * u + std::sin(angle) * v)));
    }
  };
  const double quarter = std::numbers::pi / 2;
  for (int i = 1 - cap; i <= 0; ++i) add_ring(capsule.a, quarter * i / cap);
  for (int i = 1; i < straight; ++i) add_ring(capsule.a + along * i / straight, 0);
  for (int i = straight > 0 ? 0 : 1; i < cap; ++i) add_ring(capsule.b, quarter * i / cap);
  const int rings = static_cast<int>(vertices.size()) / around;
  const int first = static_cast<int>(vertices.size()), last = first + 1;
  vertices.push_back(capsule.a - capsule.radius * axis);
  vertices.push_back(capsule.b + capsule.radius * axis);

  std::vector<Triangle> triangles;
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    triangles.push_back({first, next, k});
    for (int ring = 0; ring + 1 < rings; ++ring) {
      const int low = ring * around, high = low + around;
      triangles.push_back({low + k, low + next, high + next});
      triangles.push_back({low + k, high + next, high + k});
    }
    const int top = (rings - 1) * around;
    triangles.push_back({last, top + k, top + next});
  }
  return mesh_of(vertices, triangles);
}

SurfaceMesh surface_of(const Box& box, double edge) {
  require_shape(box, "surface_of");
  require_edge(edge);
  const Eigen::Array3d wanted = box.half_extents.unaryExpr([&](double half) { return edges_along(2 * half, edge); });
  require_count(2 * (wanted[0] * wanted[1] + wanted[1] * wanted[2] + wanted[2] * wanted[0]) + 2, edge);
  std::array<int, 3> counts{};
  for (Eigen::Index i = 0; i < 3; ++i) counts[static_cast<std::size_t>(i)] = static_cast<int>(wanted[i]);

  // Faces share the vertices of their edges: vertices are named by their place on the lattice.
  std::vector<Eigen::Vector3d> vertices;
  std::map<std::array<int, 3>, int> numbers;
  const auto vertex = [&](const std::array<int, 3>& place) {
    const auto [entry, is_new] = numbers.try_emplace(place, static_cast<int>(vertices.size()));
    if (is_new) {
      Eigen::Vector3d local;
      for (std::size_t i = 0; i < 3; ++i)
        local[static_cast<Eigen::Index>(i)] =
            box.half_extents[static_cast<Eigen::Index>(i)] * (2.0 * place[i] / counts[i] - 1);
      vertices.push_back(box.pose * local);
    }
    return entry->second;
  };
  std::vector<Triangle> triangles;
  for (std::size_t normal = 0; normal < 3; ++normal) {
    const std::size_t a = (normal + 1) % 3, b = (normal + 2) % 3;
    for (const bool far : {false, true})
      for (int i = 0; i < counts[a]; ++i)
        for (int j = 0; j < counts[b]; ++j) {
          const auto corner = [&](int di, int dj) {
            std::array<int, 3> place{};
            place[normal] = far ? counts[normal] : 0;
            place[a] = i + di;
            place[b] = j + dj;
            return vertex(place);
          };
          const std::array<int, 4> q{corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          triangles.push_back(far ? Triangle{q[0], q[1], q[2]} : Triangle{q[0], q[2], q[1]});
          triangles.push_back(far ? Triangle{q[0], q[2], q[3]} : Triangle{q[0], q[3], q[2]});
        }
  }
  return mesh_of(vertices, triangles);
}

SurfaceMesh surface_of(const Obstacle& obstacle, double edge) {
  return std::visit([edge](const auto& shape) { return surface_of(shape, edge); }, obstacle);
}

}  // namespace quoin
