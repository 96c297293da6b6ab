// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_motion.hpp"
#include "examples/studies/fluidic_brace/brace_study.hpp"

#include <catch2/catch.hpp>

using namespace studies;
using namespace studies::brace;
using fluidic_arm::FluidicArm;
using fluidic_arm::StaticPose;
using Vector = Eigen::VectorXd;

namespace {

/// The scene within reach, with the poses of least effort that a few starts find.
struct Planned {
  BraceScene scene = reachable_scene();
  StaticPose free{FluidicArm(scene.arm), pose_task(scene, -1)};
  StaticPose braced{FluidicArm(scene.arm), pose_task(scene, 1)};
  Vector free_plan = find_pose(free, {}, {.starts = 8}).z;
  Vector braced_plan = find_pose(braced, {}, {.starts = 24}).z;
  Vector start = resting_pose({.scene = scene,
                               .free_pose = free,
                               .attempts = {{2, braced, {.feasible = true, .z = braced_plan}}},
                               .chosen = 0});

  FluidicArm with_mass(double factor) const {
    fluidic_arm::ArmDescription arm = scene.arm;
    for (fluidic_arm::Segment& segment : arm.segments) segment.mass *= factor;
    return FluidicArm(arm);
  }
  Motion reach(double mass, const MotionOptions& options) const {
    return move_freely(scene, with_mass(mass), start, free, free_plan, options);
  }
};

const Planned& planned() {
  static const Planned poses;
  return poses;
}

}  // namespace

TEST_CASE("without a brace the plan's torques bring the model to its goal, where the servo alone lets it droop") {
  CHECK(planned().reach(1, {.replan = false}).tip_error < 1e-4);
  CHECK(planned().reach(1, {.forward = false, .replan = false}).tip_error > 0.01);
}

TEST_CASE("a correction by what is measured brings a light arm to the goal, but not one beyond its torques") {
  const double uncorrected = planned().reach(0.8, {.replan = false}).tip_error;
  CHECK(planned().reach(0.8, {}).tip_error < 0.2 * uncorrected);
  const Motion heavy = planned().reach(1.2, {});
  CHECK(heavy.tip_error > 0.03);
  const Vector torques = heavy.torques.rightCols(1).cwiseAbs();
  CHECK((torques.array() >= 0.999 * planned().scene.max_torque.array()).any());
}

TEST_CASE("an arm beyond its torques comes nearer to the goal on a ball that holds it by friction, with less effort") {
  const BracedMotion leaning =
      move_braced(planned().scene, planned().with_mass(1.2), planned().start, planned().braced, planned().braced_plan);
  const Motion free = planned().reach(1.2, {.replan = false});
  REQUIRE(leaning.touched);
  CHECK(leaning.motion.tip_error < 0.6 * free.tip_error);
  CHECK(leaning.motion.final_effort() < 0.6 * free.final_effort());
  CHECK(leaning.slip < 5e-4);
  CHECK(leaning.motion.fastest() < 5e-3);
  CHECK(leaning.motion.ball_gap < 0);  // it leans
  CHECK(leaning.motion.ball_gap > -planned().scene.allowed_indentation);
}

TEST_CASE("without friction the ball does not hold the arm in its place") {
  BraceScene slippery = planned().scene;
  slippery.friction = 0;
  const auto slip = [&](const BraceScene& scene) {
    return move_braced(scene, planned().with_mass(1), planned().start, planned().braced, planned().braced_plan).slip;
  };
  CHECK(slip(slippery) > 3 * slip(planned().scene));
}
