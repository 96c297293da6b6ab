// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/geometry/surface_mesh.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace quoin {
namespace {

std::string name_of(const Eigen::Vector3i& triangle) {
  return "(" + to_text(triangle[0]) + ", " + to_text(triangle[1]) + ", " + to_text(triangle[2]) + ")";
}

// The connected piece of each vertex, numbered by one of the piece's vertices.
std::vector<int> piece_of_vertex(const SurfaceMesh& mesh) {
  std::vector<int> parent(static_cast<std::size_t>(mesh.vertices.cols()));
  std::iota(parent.begin(), parent.end(), 0);
  const auto piece = [&parent](int vertex) {
    while (parent[static_cast<std::size_t>(vertex)] != vertex) {
      int& up = parent[static_cast<std::size_t>(vertex)];
      vertex = up = parent[static_cast<std::size_t>(up)];
    }
    return vertex;
  };
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f)
    for (int i = 1; i < 3; ++i)
      parent[static_cast<std::size_t>(piece(mesh.triangles(i, f)))] = piece(mesh.triangles(0, f));
  for (int vertex = 0; vertex < mesh.vertices.cols(); ++vertex)
    parent[static_cast<std::size_t>(vertex)] = piece(vertex);
  return parent;
}

double largest_extent(const SurfaceMesh& mesh) {
  return (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).maxCoeff();
}

void require_valid_triangles(const SurfaceMesh& mesh, const std::string& caller) {
  const auto count = mesh.vertices.cols();
  if (mesh.triangles.cols() == 0) throw std::invalid_argument(caller + ": the surface has no triangles");
  for (Eigen::Index i = 0; i < count; ++i)
    if (!mesh.vertices.col(i).allFinite())
      throw std::invalid_argument(caller + ": vertex " + to_text(i) + " is not finite");
  std::vector<char> used(static_cast<std::size_t>(count), 0);
  const double extent = count > 0 ? largest_extent(mesh) : 0;
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f) {
    const Eigen::Vector3i t = mesh.triangles.col(f);
    for (int vertex : t) {
      if (vertex < 0 || vertex >= count)
        throw std::invalid_argument(caller + ": triangle " + to_text(f) + " " + name_of(t) + " names vertex " +
                                    to_text(vertex) + ", the surface has " + to_text(count));
      used[static_cast<std::size_t>(vertex)] = 1;
    }
    const Eigen::Vector3d along = mesh.vertices.col(t[1]) - mesh.vertices.col(t[0]);
    const Eigen::Vector3d other = mesh.vertices.col(t[2]) - mesh.vertices.col(t[0]);
    const double area = along.cross(other).norm() / 2;
    // Rounding of the coordinates alone gives a needle this much area.
    const double longest = std::max({along.norm(), other.norm(), (other - along).norm()});
    if (!(area > 1e-14 * longest * extent))
      throw std::invalid_argument(caller + ": triangle " + to_text(f) + " " + name_of(t) +
                                  " is degenerate: its area is " + to_text(area) + " m^2");
  }
  for (Eigen::Index i = 0; i < count; ++i)
    if (!used[static_cast<std::size_t>(i)])
      throw std::invalid_argument(caller + ": vertex " + to_text(i) + " belongs to no triangle");
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
    const std::string edge = ": edge (" + to_text(sides[first].low) + ", " + to_text(sides[first].high) + ")";
    if (last - first == 1)
      throw std::invalid_argument(caller + edge + " belongs to one triangle only: the surface is open");
    if (last - first > 2)
      throw std::invalid_argument(caller + edge + " belongs to " + to_text(last - first) +
                                  " triangles: the surface is not a manifold");
    if (sides[first].ascending == sides[first + 1].ascending)
      throw std::invalid_argument(caller + edge +
                                  " is run through in the same direction by both of its triangles: one of them is "
                                  "inside out");
  }
}

void require_volume(const SurfaceMesh& mesh, const std::string& caller) {
  const std::vector<int> piece_of = piece_of_vertex(mesh);
  std::vector<double> volumes(piece_of.size(), 0), areas(piece_of.size(), 0);
  for (Eigen::Index f = 0; f < mesh.triangles.cols(); ++f) {
    const auto piece = static_cast<std::size_t>(piece_of[static_cast<std::size_t>(mesh.triangles(0, f))]);
    const Eigen::Vector3d origin = mesh.vertices.col(static_cast<Eigen::Index>(piece));
    const Eigen::Vector3d a = mesh.vertices.col(mesh.triangles(0, f)) - origin,
                          b = mesh.vertices.col(mesh.triangles(1, f)) - origin,
                          c = mesh.vertices.col(mesh.triangles(2, f)) - origin;
    volumes[piece] += a.dot(b.cross(c)) / 6;
    areas[piece] += (b - a).cross(c - a).norm() / 2;
  }
  // Rounding alone gives a flat piece this much volume.
  const double flat = 1e-14 * largest_extent(mesh);
  for (std::size_t piece = 0; piece < volumes.size(); ++piece)
    if (areas[piece] > 0 && !(volumes[piece] > flat * areas[piece]))
      throw std::invalid_argument(caller + ": the surface around vertex " + to_text(piece) +
                                  " is inside out, flat or the wall of a cavity: its triangles, counter-clockwise seen "
                                  "from outside, enclose " +
                                  to_text(volumes[piece]) + " m^3");
}

}  // namespace

void require_closed_surface(const SurfaceMesh& mesh, const std::string& caller) {
  require_valid_triangles(mesh, caller);
  require_manifold(mesh, caller);
  require_volume(mesh, caller);
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
