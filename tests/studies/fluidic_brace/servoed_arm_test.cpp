// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/servoed_arm.hpp"
#include "quoin/robots/dynamics/rosenbrock.hpp"
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <utility>

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

Vector come_to_rest(ServoedArm& servoed, const Vector& reference, double seconds) {
  Vector x = Vector::Zero(6);
  for (int i = 0; i < std::lround(seconds / 5e-3); ++i) {
    REQUIRE(rosenbrock_step(servoed, reference, 5e-3, x) == StepStatus::ok);
    servoed.settle(x);
  }
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
  ServoedArm servoed(arm, servo, skin);
  const Vector reference = Eigen::Vector3d(-0.03, -0.03, 0.1);
  const Vector x = come_to_rest(servoed, reference, 20), q = x.head(3);
  const Eigen::Vector2d apart = arm.point(q, skin.segment, 1) - skin.ball;
  const double pressed = skin.stiffness * (skin.distance - apart.norm());
  CHECK(pressed > 0.3);
  const Eigen::Vector2d held = fluidic_arm::holding_force(arm, q, servoed.torques(x, reference), skin.segment,
                                                          std::atan2(apart.y(), apart.x()), skin.arm_radius);
  CHECK(held[0] == Approx(pressed).epsilon(0.01));
  const double shear = skin.shear_stiffness * (servoed.skin()->place_on_ball(arm, q) - servoed.skin()->anchor);
  CHECK(std::abs(shear) <= skin.friction * pressed * (1 + 1e-9));
  CHECK(held[1] == Approx(-shear).epsilon(0.02).margin(2e-3));
}

TEST_CASE("a skin's place on the ball moves as the end does, and rolls back with its turn") {
  const FluidicArm arm = three_segments();
  const BallSkin skin{.segment = 1, .ball = {-0.0448, -0.26}, .distance = 0.045, .arm_radius = 0.015};
  const Vector q = Eigen::Vector3d(0.1, -0.2, 0.3);
  Eigen::Vector2d p;
  Eigen::Matrix2Xd dp;
  arm.point(q, 1, 1, p, dp);
  const Eigen::Vector2d apart = p - skin.ball, tangent = Eigen::Vector2d(-apart.y(), apart.x()).normalized();
  for (int i = 0; i < 3; ++i) {
    Vector ahead = q, behind = q;
    ahead[i] += 1e-6;
    behind[i] -= 1e-6;
    const double rolled = i <= 1 ? skin.arm_radius : 0;
    CHECK((skin.place_on_ball(arm, ahead) - skin.place_on_ball(arm, behind)) / 2e-6 ==
          Approx(skin.distance / apart.norm() * dp.col(i).dot(tangent) - rolled).margin(1e-8));
  }
}

TEST_CASE(
    "friction holds the tip of an arm that stands on a ball, for as long as it stands, where without it it slides") {
  const FluidicArm arm = three_segments();
  Servo servo = stiff_servo();
  servo.forward.setZero();
  const auto stand = [&](double friction, double seconds) {
    // Pressed by 1 mm, 1 N; the reference is 6 mm aside.
    BallSkin skin{.segment = 2, .ball = {0, -0.434}, .distance = 0.045, .arm_radius = 0.015, .friction = friction};
    skin.anchor = skin.place_on_ball(arm, Vector::Zero(3));
    ServoedArm servoed(arm, servo, skin);
    const Vector x = come_to_rest(servoed, Eigen::Vector3d(0.02, 0, 0), seconds);
    return std::pair{arm.tip(x.head(3)).x(), servoed.skin()->anchor - skin.anchor};
  };
  CHECK(stand(0, 1).first > 4e-3);
  const auto [soon, slid_soon] = stand(0.9, 2);
  const auto [late, slid_late] = stand(0.9, 20);
  CHECK(std::abs(late) < 6e-4);  // the skin's shear
  CHECK(late == Approx(soon).margin(1e-6));
  CHECK(slid_late == 0);
  CHECK(slid_soon == 0);
  CHECK(std::abs(stand(0.1, 2).second) > 1e-3);
}
