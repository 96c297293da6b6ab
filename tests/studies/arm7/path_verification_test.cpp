// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/path_verification.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace studies;
using rigid_body::Link;

namespace {

/// One link of 1 m that turns about z, 5 cm thick.
studies::CapsuleArm one_link() {
  const Link link{.name = "link",
                  .joint = {.name = "hinge", .type = rigid_body::JointType::revolute, .lower = -1, .upper = 1}};
  const rigid_body::RigidBodyTree tree({link});
  const rigid_body::Frame frame = tree.frame("link");
  return {.tree = tree, .chain = {{frame}, {frame, {1, 0, 0}}}, .bodies = {{0, 1, 0.05}}};
}

}  // namespace

TEST_CASE("a path whose columns are free may collide between them") {
  const studies::CapsuleArm arm = one_link();
  const Eigen::MatrixXd path{{-0.8, 0.8}};
  const Obstacles ball = {Capsule::sphere({0.7, 0, 0}, 0.04)};
  CHECK(studies::verify_path(arm, path, ball, 1).free());
  const studies::PathVerdict verdict = studies::verify_path(arm, path, ball, 20);
  CHECK_FALSE(verdict.free());
  CHECK(verdict.clearance == Approx(-0.09));  // the ball's centre is on the link's axis half-way
  CHECK(verdict.worst_at == Approx(0.5));
  CHECK(verdict.longest_step == Approx(2 * std::sin(0.04)));
  CHECK(verdict.limits_passed == 0);
}

TEST_CASE("obstacles that move are looked at where they are at that time") {
  const studies::CapsuleArm arm = one_link();
  const Eigen::MatrixXd path{{-0.8, 0, 0.8}};
  const auto lifted_by = [](double height) {
    return [height](double t) { return Obstacles{Capsule::sphere({0.7, 0, height * t}, 0.04)}; };
  };
  CHECK_FALSE(studies::verify_path(arm, path, lifted_by(0)).free());
  const studies::PathVerdict verdict = studies::verify_path(arm, path, lifted_by(0.5));
  CHECK(verdict.free());
  double least = 1;  // from the ball's centre to the link's axis
  for (int i = 0; i <= 40; ++i) least = std::min(least, std::hypot(0.7 * std::sin(0.8 - 0.04 * i), 0.025 * i));
  CHECK(verdict.clearance == Approx(least - 0.09));
}

TEST_CASE("limits that a path passes between its columns or at them are reported") {
  const studies::CapsuleArm arm = one_link();
  CHECK(studies::verify_path(arm, Eigen::MatrixXd{{0, 1.25}}, Obstacles{}).limits_passed == Approx(0.25));
  CHECK(studies::verify_path(arm, Eigen::MatrixXd{{0, -1.5}}, Obstacles{}).limits_passed == Approx(0.5));
  CHECK_THROWS_AS(studies::verify_path(arm, Eigen::MatrixXd(1, 0), Obstacles{}), std::invalid_argument);
}
