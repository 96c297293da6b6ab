// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/robot_motion.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace quoin::identification {

/// Three links in space, no axis parallel to the next.
inline rigid_body::RigidBodyTree arm() {
  std::vector<rigid_body::Link> links(3);
  const Eigen::Vector3d axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    rigid_body::Link& link = links[static_cast<std::size_t>(i)];
    link.name = "link" + std::to_string(i);
    if (i > 0) link.parent = "link" + std::to_string(i - 1);
    link.joint = {.name = "joint" + std::to_string(i), .type = rigid_body::JointType::revolute, .axis = axes[i]};
    link.placement.translation() << 0.1 * i, 0, 0.3;
    link.inertia = {.mass = 2.0 - 0.5 * i, .centre = {0.02, 0.03 * i, 0.15}};
    link.inertia.about_centre << 0.03, 0.002, 0, 0.002, 0.025, 0.001, 0, 0.001, 0.01;
  }
  return rigid_body::RigidBodyTree(links);
}

/// Sines in every joint, 400 instants, with the forces of the tree and of friction.
inline RobotMotion motion_of(const rigid_body::RigidBodyTree& tree, const Eigen::VectorXd& damping) {
  const Eigen::Index n = tree.joints(), T = 400;
  RobotMotion motion{.q = Eigen::MatrixXd(n, T),
                     .qd = Eigen::MatrixXd(n, T),
                     .qdd = Eigen::MatrixXd(n, T),
                     .tau = Eigen::MatrixXd(n, T)};
  for (Eigen::Index t = 0; t < T; ++t)
    for (Eigen::Index i = 0; i < n; ++i) {
      const double w = 2.0 + 1.3 * static_cast<double>(i), s = w * 0.02 * static_cast<double>(t);
      motion.q(i, t) = std::sin(s);
      motion.qd(i, t) = w * std::cos(s);
      motion.qdd(i, t) = -w * w * std::sin(s);
    }
  rigid_body::BatchNewtonEuler model(tree);
  model.inverse_dynamics(motion.q, motion.qd, motion.qdd, motion.tau);
  motion.tau += damping.asDiagonal() * motion.qd;
  return motion;
}

}  // namespace quoin::identification
