// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/geometry/surface_mesh.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace quoin {
namespace {

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string name_of(const Eigen::Vector3i& triangle) {
  return "(" + std::to_string(triangle[0]) + ", " + std::to_string(triangle[1]) + ", " + std::to_string(triangle[2]) +
         ")";
}

double largest_extent(const SurfaceMesh& mesh) {
  return (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).maxCoeff();
}

void require_valid_triangles(const SurfaceMesh& mesh, const std::string& caller) {
  const auto count = mesh.vertices.cols();
  if (mesh.triangles.cols() == 0) throw std::invalid_argument(caller + ": the surface has no triangles");
  for (Eigen::Index i = 0; i < count; ++i)
    if (!mesh.vertices.col(i).allFinite())
      throw std::invalid_argument(caller + ": vertex " + std::to_string(i) + " is not finite");
  std::vector<char> used(static_cast<std::size_t>(count), 0);
  const double extent = count > 0 ? largest_extent(mesh) : 0;
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f) {
    const Eigen::Vector3i t = mesh.triangles.col(f);
    for (int vertex : t) {
      if (vertex < 0 || vertex >= count)
        throw std::invalid_argument(caller + ": triangle " + std::to_string(f) + " " + name_of(t) + " names vertex " +
                                    std::to_string(vertex) + ", the surface has " + std::to_string(count));
      used[static_cast<std::size_t>(vertex)] = 1;
    }
    const Eigen::Vector3d along = mesh.vertices.col(t[1]) - mesh.vertices.col(t[0]);
    const Eigen::Vector3d other = mesh.vertices.col(t[2]) - mesh.vertices.col(t[0]);
    const double area = along.cross(other).norm() / 2;
    // Rounding of the coordinates alone gives a needle this much area.
    const double longest = std::max({along.norm(), other.norm(), (other - along).norm()});
    if (!(area > 1e-14 * longest * extent))
      throw std::invalid_argument(caller + ": triangle " + std::to_string(f) + " " + name_of(t) +
                                  " is degenerate: its area is " + scientific(area) + " m^2");
  }
  for (Eigen::Index i = 0; i < count; ++i)
    if (!used[static_cast<std::size_t>(i)])
      throw std::invalid_argument(caller + ": vertex " + std::to_string(i) + " belongs to no triangle");
}

void require_manifold(const SurfaceMesh& mesh, const std::string& caller) {
  struct Side {  // of a triangle
    int low, high;
    bool ascending;
  };
  std::vector<Side> sides;
  sides.reserve(3 * static_cast<std::size_t>(mesh.triangles.cols()));
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f)
    for (int i = 0; i < 3; ++i) {
      const int from = mesh.triangles(i, f), to = mesh.triangles((i + 1) % 3, f);
      sides.push_back({std::min(from, to), std::max(from, to), from < to});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::array{a.low, a.high} < std::array{b.low, b.high};
  });
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].low == sides[first].low && sides[last].high == sides[first].high) ++last;
    const std::string edge =
        ": edge (" + std::to_string(sides[first].low) + ", " + std::to_string(sides[first].high) + ")";
    if (last - first == 1)
      throw std::invalid_argument(caller + edge + " belongs to one triangle only: the surface is open");
    if (last - first > 2)
      throw std::invalid_argument(caller + edge + " belongs to " + std::to_string(last - first) +
                                  " triangles: the surface is not a manifold");
    if (sides[first].ascending == sides[first + 1].ascending)
      throw std::invalid_argument(caller + edge +
                                  " is run through in the same direction by both of its triangles: one of them is "
                                  "inside out");
  }
}

}  // namespace

void require_closed_surface(const SurfaceMesh& mesh, const std::string& caller) {
  require_valid_triangles(mesh, caller);
  require_manifold(mesh, caller);
  if (const double volume = solid_moments(mesh).volume; !(volume > 0))
    throw std::invalid_argument(caller + ": the surface is inside out: its triangles, counter-clockwise seen from " +
                                "outside, enclose " + scientific(volume) + " m^3");
}

SolidMoments solid_moments(const SurfaceMesh& mesh) {
  const Eigen::Vector3d mean = mesh.vertices.rowwise().mean();
  double volume = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // integral of y, y from the mean
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // integral of y y^T
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f) {
    Eigen::Matrix3d corners;
    for (int i = 0; i < 3; ++i) corners.col(i) = mesh.vertices.col(mesh.triangles(i, f)) - mean;
    const double tetrahedron = corners.col(0).dot(corners.col(1).cross(corners.col(2))) / 6;
    const Eigen::Vector3d sum = corners.rowwise().sum();
    volume += tetrahedron;
    first += tetrahedron / 4 * sum;
    second += tetrahedron / 20 * (corners * corners.transpose() + sum * sum.transpose());
  }
  const Eigen::Vector3d centroid = first / volume;
  second -= volume * centroid * centroid.transpose();
  return {volume, mean + centroid, second.trace() * Eigen::Matrix3d::Identity() - second};
}

}  // namespace quoin
