// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/ellipsoid_mesh.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {
namespace {

constexpr std::array<std::array<int, 3>, 20> faces{{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}}};

std::array<Eigen::Vector3d, 12> icosahedron() {
  const double g = std::numbers::phi;
  return {{{-1, g, 0},
           {1, g, 0},
           {-1, -g, 0},
           {1, -g, 0},
           {0, -1, g},
           {0, 1, g},
           {0, -1, -g},
           {0, 1, -g},
           {g, 0, -1},
           {g, 0, 1},
           {-g, 0, -1},
           {-g, 0, 1}}};
}

// A vertex by its weights at the icosahedron's corners, ascending, without zeros: the same for all faces that share it.
using Weights = std::vector<std::pair<int, int>>;

}  // namespace

SurfaceMesh geodesic_ellipsoid(const Eigen::Vector3d& semi_axes, int n) {
  for (int i = 0; i < 3; ++i)
    if (!(semi_axes[i] > 0) || !std::isfinite(semi_axes[i]))
      throw std::invalid_argument("geodesic_ellipsoid: semi-axis " + to_text(i) + " = " + to_text(semi_axes[i]) +
                                  " must be positive and finite");
  if (n < 1 || n > 1000)
    throw std::invalid_argument("geodesic_ellipsoid: n = " + to_text(n) + " must lie in [1, 1000]");

  const auto corners = icosahedron();
  SurfaceMesh mesh;
  mesh.vertices.resize(3, 10 * static_cast<Eigen::Index>(n) * n + 2);
  mesh.triangles.resize(3, 20 * static_cast<Eigen::Index>(n) * n);
  std::map<Weights, int> known;
  Eigen::Index triangle = 0;
  for (const auto& face : faces) {
    const auto vertex = [&](int i, int j) {
      Weights weights;
      const std::array<int, 3> at{n - i - j, i, j};
      for (int c = 0; c < 3; ++c)
        if (at[c] > 0) weights.emplace_back(face[c], at[c]);
      std::sort(weights.begin(), weights.end());
      const auto [entry, fresh] = known.try_emplace(weights, static_cast<int>(known.size()));
      if (fresh) {
        Eigen::Vector3d position = Eigen::Vector3d::Zero();
        for (const auto& [corner, weight] : weights) position += weight * corners[corner];
        mesh.vertices.col(entry->second) = position.normalized();
      }
      return entry->second;
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        mesh.triangles.col(triangle++) << vertex(i, j), vertex(i + 1, j), vertex(i, j + 1);
        if (i + j + 1 < n) mesh.triangles.col(triangle++) << vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1);
      }
  }
  // Computed on the unit sphere: stretching keeps the ratio of the volumes, and extreme axes would overflow.
  const double growth = std::cbrt(4 * std::numbers::pi / 3 / solid_moments(mesh).volume);
  mesh.vertices = (growth * semi_axes).asDiagonal() * mesh.vertices;
  return mesh;
}

}  // namespace quoin
