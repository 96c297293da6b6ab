// SPDX-License-Identifier: BSD-3-Clause
// The compiled distances of an arm of two capsules from a box, called from a program that may be compiled for another
// processor.
#include <quoin/robots/geometry/capsule_around.hpp>
#include <quoin/robots/geometry/collision_checker.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const quoin::CollisionChecker checker({.points = 3, .bodies = {{0, 1, 0.05}, {1, 2, 0.1}}});
  const Eigen::Matrix3Xd points{{0, 1, 2}, {0, 0, 0}, {0, 0, 1}};
  const quoin::Obstacles world = {quoin::Box{.pose = Eigen::Isometry3d(Eigen::Translation3d(0.5, 0, -0.3)),
                                             .half_extents = Eigen::Vector3d::Constant(0.1)}};
  const double distance = checker.min_distance(points, world).distance;  // 0.2 to the axis, less the radius

  const quoin::Capsule around = quoin::capsule_around(points.leftCols(2));
  const double length = (around.b - around.a).norm();
  const bool ok = std::abs(distance - 0.15) < 1e-12 && std::abs(length - 1) < 1e-6 && !checker.collides(points, world);
  if (!ok) std::printf("FAILED: %g m from the box, a capsule of %g m around a segment of 1 m\n", distance, length);
  return !ok;
}
