// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/robots/task_map_grid/scenes.hpp"

#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/geometry/closest.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

TaskScene<7> arm_among(Matrix3Xd environment) {
  const rigid_body::RigidBodyTree tree(studies::iiwa::iiwa7_links());
  std::vector<rigid_body::TreePoints::Point> points;
  for (int link = 2; link <= 7; ++link) points.push_back({tree.frame("iiwa_link_" + to_text(link))});
  points.push_back({tree.frame("iiwa_link_ee")});
  Point<7> held;
  held << 0, 0.9, 0, -1.1, 0.3, 0.7, -0.2;
  return {{tree, points}, std::move(environment), held, {3, 0, 1, 5}, 0.4};
}

}  // namespace

TaskScene<7> arm_beside_pipe() {
  Matrix3Xd pipe(3, 25);
  for (int k = 0; k < 25; ++k) {
    const double s = (k - 12) / 12.0;
    pipe.col(k) = Vector3d(0.35 + 0.1 * std::cos(pi * s), 0.36, 0.6 + 0.6 * s);
  }
  return arm_among(pipe);
}

TaskScene<7> arm_across_pole() {
  Matrix3Xd pole(3, 2);
  pole << 0.55, 0.55, 0.03, 0.03, 0, 1.5;
  return arm_among(pole);
}

TaskScene<7> arm_beside_crate() {
  Matrix3Xd crate(3, 9);
  const Vector3d middle(0.45, 0.5, 0.2), half(0.15, 0.1, 0.2);
  for (int k = 0; k < 8; ++k)
    crate.col(k) = middle + half.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1));
  crate.col(8) = middle;
  return arm_among(crate);
}

TaskScene<20> rope_around_pole() {
  std::vector<rigid_body::Link> rods;
  for (int i = 0; i < 20; ++i) {
    rigid_body::Link rod{.name = "rod " + to_text(i)};
    if (i > 0) {
      rod.parent = rods.back().name;
      rod.placement = Eigen::Translation3d(0.1, 0, 0);
    }
    rod.joint = {.name = "joint " + to_text(i),
                 .type = rigid_body::JointType::revolute,
                 .axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY()};
    rod.inertia = {.mass = 0.1, .centre = {0.05, 0, 0}, .about_centre = 1e-4 * Eigen::Matrix3d::Identity()};
    rods.push_back(rod);
  }
  const rigid_body::RigidBodyTree tree(rods);
  std::vector<rigid_body::TreePoints::Point> points;
  for (const rigid_body::Link& rod : rods) points.push_back({tree.frame(rod.name)});
  points.push_back({tree.frame(rods.back().name), {0.1, 0, 0}});

  Point<20> held = Point<20>::Zero();
  for (int i = 0; i < 20; i += 2) held[i] = 0.5;
  held[1] = -0.2;
  Matrix3Xd pole(3, 2);
  pole << -0.05, -0.05, 0.5, 0.5, -2, 2;
  return {{tree, points}, pole, held, {4, 9, 12, 7}, 0.3};
}

double clearance(const Matrix3Xd& chain, const Matrix3Xd& other) {
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i + 1 < chain.cols(); ++i)
    for (Eigen::Index j = 0; j + 1 < other.cols(); ++j)
      least = std::min(least, closest(Capsule::segment(chain.col(i), chain.col(i + 1)),
                                      Capsule::segment(other.col(j), other.col(j + 1)))
                                  .distance);
  return least;
}

}  // namespace benchmarks
