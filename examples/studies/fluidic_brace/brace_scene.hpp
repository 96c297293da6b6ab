// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"

#include <Eigen/Core>

#include <string>

namespace studies::brace {

/// An arm that is to reach a point, and a ball beside its path that it may lean on.
struct BraceScene {
  std::string name = {};
  fluidic_arm::ArmDescription arm = {};
  Eigen::VectorXd max_torque = {};  ///< of every segment, N m
  Eigen::Vector3d goal = {};        ///< in space, z up, the arm's base at the origin, m
  Eigen::Vector3d ball = {};
  double ball_radius = 0.03;
  double arm_radius = 0.015;
  double friction = 0.6;              ///< static, of silicone on steel (0.6 to 0.9)
  double used_friction = 0.8;         ///< share of it that a plan may use
  double min_normal_force = 0.2;      ///< N, for a brace that carries load
  double max_normal_force = 3;        ///< N, beyond which the arm jams
  double radial_stiffness = 1000;     ///< of the arm's skin, N/m (section 6.2.2)
  double shear_stiffness = 1000;      ///< of the arm's skin, N/m
  double allowed_indentation = 3e-3;  ///< where the arm lies on the ball besides its brace point, m

  double brace_distance() const { return ball_radius + arm_radius; }
};

/// The arm of Table 1, every segment actuated, beside a ball to lean on.
BraceScene reachable_scene();
/// The same arm and goal, with the ball where no brace is possible.
BraceScene distant_scene();
/// The same arm and goal, with the ball where a brace relies on its friction and half of it is not enough.
BraceScene rough_scene();
BraceScene slippery_scene();

/// The problem of Eq. 36 with a brace at the end of a segment, counted from 0; segment < 0:
/// without a brace, ball or not.
fluidic_arm::StaticPoseTask pose_task(const BraceScene& scene, int segment);

}  // namespace studies::brace
