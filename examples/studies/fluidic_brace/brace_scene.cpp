// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_scene.hpp"

#include <cmath>

namespace studies::brace {
namespace {

/// A point of the vertical plane that contains the whole scene, 20 degrees from the base's own.
Eigen::Vector3d in_plane(double x, double z) {
  constexpr double rotation = 0.35;
  return {std::cos(rotation) * x, std::sin(rotation) * x, z};
}

}  // namespace

BraceScene reachable_scene() {
  BraceScene scene{.name = "within reach",
                   .max_torque = Eigen::Vector4d(0.35, 0.30, 0.25, 0.20),
                   .goal = in_plane(0.25, -0.30),
                   .ball = in_plane(0.01, -0.27)};
  for (const double mass : {0.190, 0.146, 0.090, 0.090})
    scene.arm.segments.push_back({.length = 0.13, .mass = mass, .stiffness = 0.108, .damping = 4.2e-3});
  scene.arm.passive_segments = 0;
  return scene;
}

BraceScene distant_scene() {
  BraceScene scene = reachable_scene();
  scene.name = "out of reach";
  scene.ball = in_plane(0.40, -0.05);
  return scene;
}

BraceScene rough_scene() {
  BraceScene scene = reachable_scene();
  scene.name = "steep, dry";
  scene.ball = in_plane(0.04, -0.27);
  return scene;
}

BraceScene slippery_scene() {
  BraceScene scene = rough_scene();
  scene.name = "steep, wet";
  scene.friction = 0.3;
  return scene;
}

fluidic_arm::StaticPoseTask pose_task(const BraceScene& scene, int segment) {
  fluidic_arm::StaticPoseTask task{.goal = scene.goal, .max_torque = scene.max_torque};
  if (segment < 0) return task;
  task.ball = scene.ball;
  task.clearance = scene.brace_distance() - scene.allowed_indentation;
  task.brace = fluidic_arm::Brace{.segment = segment,
                                  .distance = scene.brace_distance(),
                                  .arm_radius = scene.arm_radius,
                                  .friction = scene.used_friction * scene.friction,
                                  .min_normal_force = scene.min_normal_force,
                                  .max_normal_force = scene.max_normal_force};
  return task;
}

}  // namespace studies::brace
