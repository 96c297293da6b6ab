// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/servoed_arm.hpp"
#include "quoin/dynamics/rosenbrock.hpp"
#include "quoin/models/fluidic_arm/static_pose.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace studies;
using namespace studies::brace;
using fluidic_arm::FluidicArm;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

FluidicArm three_segments() {
  return FluidicArm({.segments = std::vector<fluidic_arm::Segment>(
                         3, {.length = 0.13, .mass = 0.1, .stiffness = 0.1, .damping = 4e-3}),
                     .passive_segments = 0});
}

Servo stiff_servo() {
  return {.stiffness = Vector::Constant(3, 8),
          .damping = Vector::Constant(3, 0.8),
          .forward = Eigen::Vector3d(0.1, 0, -0.1),
          .max_torque = Vector::Constant(3, 0.3)};
}

Vector come_to_rest(const ServoedArm& servoed, const Vector& reference, double seconds) {
  Vector x = Vector::Zero(6);
  for (int i = 0; i < std::lround(seconds / 5e-3); ++i)
    REQUIRE(rosenbrock_step(servoed, reference, 5e-3, x) == StepStatus::ok);
  return x;
}

}  // namespace

TEST_CASE("a servoed arm's derivatives leave a Taylor remainder of second order away from limits") {
  const FluidicArm arm = three_segments();
  const ServoedArm servoed(arm, stiff_servo());
  const Vector x = (Vector(6) << 0.3, -0.2, 0.4, 0.01, 0.02, -0.01).finished();
  const Vector reference = Eigen::Vector3d(0.31, -0.19, 0.41);
  REQUIRE(servoed.torques(x, reference).cwiseAbs().maxCoeff() < 0.29);
  Vector rate, ahead;
  Matrix A, B;
  REQUIRE(servoed.rate(x, reference, rate, A, B) == StepStatus::ok);
  const Vector dx = (Vector(6) << 0.5, -0.3, 0.2, 0.4, -0.6, 0.3).finished(), dr = Eigen::Vector3d(0.2, 0.1, -0.5);
  const auto remainder = [&](double h) {
    REQUIRE(servoed.rate(x + h * dx, reference + h * dr, ahead) == StepStatus::ok);
    return (ahead - rate - h * (A * dx + B * dr)).norm();
  };
  CHECK(std::log10(remainder(1e-3) / remainder(1e-4)) == Approx(2).margin(0.1));
}

TEST_CASE("an arm pressed against a ball comes to rest on its skin, with the force that statics ask for") {
  const FluidicArm arm = three_segments();
  const BallSkin skin{.segment = 1, .ball = {-0.0448, -0.26}, .distance = 0.045, .arm_radius = 0.015};
  Servo servo = stiff_servo();
  servo.forward.setZero();
  servo.max_torque.setConstant(3);
  const ServoedArm servoed(arm, servo, skin);
  const Vector reference = Eigen::Vector3d(-0.03, -0.03, 0.1);
  const Vector x = come_to_rest(servoed, reference, 20), q = x.head(3);
  const Eigen::Vector2d apart = arm.point(q, skin.segment, 1) - skin.ball;
  const double pressed = skin.stiffness * (skin.distance - apart.norm());
  CHECK(pressed > 0.3);
  const Eigen::Vector2d held = fluidic_arm::holding_force(arm, q, servoed.torques(x, reference), skin.segment,
                                                          std::atan2(apart.y(), apart.x()), skin.arm_radius);
  CHECK(held[0] == Approx(pressed).epsilon(0.01));
  CHECK(std::abs(held[1]) < skin.friction * pressed);
}

TEST_CASE("friction holds the tip of an arm that stands on a ball, where without it the tip would slide") {
  const FluidicArm arm = three_segments();
  Servo servo = stiff_servo();
  servo.forward.setZero();
  const auto slid = [&](double friction) {
    // Pressed by 1 mm, 1 N; the reference is 6 mm aside.
    const BallSkin skin{
        .segment = 2, .ball = {0, -0.434}, .distance = 0.045, .arm_radius = 0.015, .friction = friction};
    return arm.tip(come_to_rest(ServoedArm(arm, servo, skin), Eigen::Vector3d(0.02, 0, 0), 1).head(3)).x();
  };
  CHECK(slid(0) > 4e-3);
  CHECK(std::abs(slid(0.9)) < 2e-4);
}
