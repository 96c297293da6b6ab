// SPDX-License-Identifier: BSD-3-Clause
// Distances of a mesh by FCL, called from a program that may be compiled for another processor.
#include <quoin/robots/geometry/fcl/fcl_distances.hpp>
#include <quoin/robots/geometry/shape_mesh.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const quoin::SurfaceMesh cube = quoin::surface_of(quoin::Box{.half_extents = Eigen::Vector3d::Constant(0.5)}, 1);
  const quoin::FclDistances distances({.frames = 1,
                                       .bodies = {{0, cube}},
                                       .obstacles = {quoin::Polytope{cube}, quoin::Capsule::sphere({0, 0, 0}, 0.2)}});
  std::vector<quoin::FclNearPair> near;
  distances.near_pairs(
      {Eigen::Isometry3d::Identity()},
      {Eigen::Isometry3d(Eigen::Translation3d(1.5, 0.2, 0)), Eigen::Isometry3d(Eigen::Translation3d(0, 0, 1))}, 10,
      near);
  const bool ok = near.size() == 2 && std::abs(near[0].distance - 0.5) < 1e-9 &&
                  std::abs(near[1].distance - 0.3) < 1e-9 && (near[1].normal + Eigen::Vector3d::UnitZ()).norm() < 1e-6;
  if (!ok) std::printf("FAILED: %zu pairs\n", near.size());
  return !ok;
}
