// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::rigid_body {

/// Whether the joint forces also overcome the friction of the joints.
enum class Friction {
  none,                 ///< tau moves the masses alone
  viscous,              ///< + damping dq/dt
  viscous_and_coulomb,  ///< + friction sign(dq/dt), sign(0) = 0, or its smooth substitute
};

/// The forces that act beside those of the joints.
struct DynamicsOptions {
  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< m/s^2, in the world
  Friction friction = Friction::none;       ///< that tau has to overcome
  /// rad/s or m/s. If positive, Coulomb friction is friction tanh(dq/dt / friction_velocity) instead of a jump.
  double friction_velocity = 0;
};

/// The outcome of forward dynamics.
enum class ForwardStatus {
  ok,
  /// Some joint moves no mass, or so little beside what it carries that rounding determines its acceleration: less than
  /// 5e-10 of what would resist if nothing cancelled.
  singular
};

}  // namespace quoin::rigid_body
