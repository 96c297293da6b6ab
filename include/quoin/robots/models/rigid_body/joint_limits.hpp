// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

namespace quoin::rigid_body {

/// The limits of a robot's n joints, infinite where there are none.
struct JointLimits {
  Eigen::VectorXd lower, upper;  ///< of q, rad or m
  Eigen::VectorXd velocity;      ///< of |dq/dt|
  Eigen::VectorXd effort;        ///< of |force|, N m or N

  /// 2 n: of x = (q, dq/dt), as planners take them.
  Eigen::VectorXd lower_state() const {
    Eigen::VectorXd x(2 * lower.size());
    x << lower, -velocity;
    return x;
  }
  /// Likewise.
  Eigen::VectorXd upper_state() const {
    Eigen::VectorXd x(2 * upper.size());
    x << upper, velocity;
    return x;
  }
};

/// As they stand at the tree's joints:
///
///     const JointLimits limits = joint_limits(tree);
///     problem.upper_control = limits.effort;
///     LimitMargins margins(limits.lower, limits.upper, 0.02);  // a task map
inline JointLimits joint_limits(const RigidBodyTree& tree) {
  const auto of_each = [&](double Joint::*limit) {
    Eigen::VectorXd limits(tree.joints());
    for (int i = 0; i < tree.joints(); ++i) limits[i] = tree.joint(i).*limit;
    return limits;
  };
  return {.lower = of_each(&Joint::lower),
          .upper = of_each(&Joint::upper),
          .velocity = of_each(&Joint::velocity),
          .effort = of_each(&Joint::effort)};
}

}  // namespace quoin::rigid_body
