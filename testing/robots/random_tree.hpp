// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/link.hpp"

#include <Eigen/Dense>

#include <random>
#include <string>
#include <vector>

namespace quoin::rigid_body {

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Eigen::VectorXd vector(int size, double reach) {
    Eigen::VectorXd v(size);
    for (double& x : v) x = between(-reach, reach);
    return v;
  }
  Eigen::Isometry3d placement() {
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.linear() = Eigen::Quaterniond(Eigen::Vector4d(vector(4, 1).normalized())).toRotationMatrix();
    at.translation() = vector(3, 0.5);
    return at;
  }
  /// The inertia of six point masses.
  Inertia inertia() {
    Eigen::Matrix<double, 3, 6> points;
    Eigen::Matrix<double, 6, 1> masses;
    for (int k = 0; k < 6; ++k) {
      points.col(k) = vector(3, 0.3);
      masses[k] = between(0.1, 1);
    }
    Inertia body{.mass = masses.sum(), .centre = points * masses / masses.sum()};
    for (int k = 0; k < 6; ++k) {
      const Eigen::Vector3d r = points.col(k) - body.centre;
      body.about_centre += masses[k] * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    }
    return body;
  }

 private:
  std::mt19937 engine_;
};

/// A branching tree of revolute, prismatic and occasional fixed joints about any axes; some along a coordinate axis.
inline std::vector<Link> random_links(int count, unsigned seed) {
  RandomNumbers random(seed);
  std::vector<Link> links;
  for (int i = 0; i < count; ++i) {
    Link link;
    link.name = "link " + std::to_string(i);
    const int parent = i - 1 - static_cast<int>(random.between(0, 2.5));
    if (parent >= 0) link.parent = links[static_cast<std::size_t>(parent)].name;
    const double kind = random.between(0, 1);
    link.joint = {.name = "joint " + std::to_string(i),
                  .type = kind < 0.15  ? JointType::fixed
                          : kind < 0.4 ? JointType::prismatic
                                       : JointType::revolute,
                  .damping = random.between(0, 1),
                  .friction = random.between(0, 1)};
    link.joint.axis = random.between(0, 1) < 0.3 ? Eigen::Vector3d(-Eigen::Vector3d::Unit(i % 3))
                                                 : Eigen::Vector3d(random.vector(3, 1).normalized());
    link.placement = random.placement();
    link.inertia = random.inertia();
    links.push_back(link);
  }
  return links;
}

}  // namespace quoin::rigid_body
