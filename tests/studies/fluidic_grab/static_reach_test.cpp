// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/static_reach.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"

#include <catch2/catch.hpp>

using namespace studies;
using namespace studies::grab;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// One actuated segment: its tip can only be on a curve.
StaticReach one_segment(double limit) {
  fluidic_arm::ArmDescription arm;
  arm.segments = {{.length = 0.3, .mass = 0.1, .stiffness = 0.1, .damping = 1e-3}};
  arm.passive_segments = 0;
  return StaticReach(fluidic_arm::FluidicArm(arm), VectorXd::Constant(1, limit));
}

}  // namespace

TEST_CASE("where one segment can rest ends where its torque does") {
  const StaticReach reach = one_segment(0.1);
  const VectorXd bend = VectorXd::Constant(1, 0.3), more = VectorXd::Constant(1, 1.2);
  const RestingPose inside = reach.closest(reach.arm().tip(bend), VectorXd::Zero(1));
  CHECK(inside.distance < 1e-4);
  CHECK(inside.q[0] == Approx(0.3).epsilon(1e-3));
  CHECK(inside.stable);
  const RestingPose outside = reach.closest(reach.arm().tip(more), VectorXd::Zero(1));
  CHECK(outside.distance > 0.01);
  CHECK(outside.torques[0] == Approx(0.1).epsilon(1e-3));
  // The limit is what stops it: an actuator with a higher limit reaches the same goal.
  CHECK(one_segment(1).closest(reach.arm().tip(more), VectorXd::Zero(1)).distance < 1e-4);
}

TEST_CASE("tips of scanned equilibria solve Eq. 21, and scans reach all corners of the torques") {
  const StaticReach reach(fluidic_arm::FluidicArm(table1_arm()), torque_limits);
  const auto scan = reach.forward_image(3);
  REQUIRE(scan.size() == 27);
  double most = 0;
  for (const RestingPose& pose : scan) {
    most = std::max(most, (pose.torques.array() / torque_limits.array()).minCoeff());
    CHECK(reach.closest(pose.tip, {VectorXd::Zero(4), pose.q}, 1e-3).distance < 1e-3);
  }
  CHECK(most == 1);
  CHECK_THROWS_AS(StaticReach(fluidic_arm::FluidicArm(table1_arm()), VectorXd::Zero(2)), std::invalid_argument);
}
