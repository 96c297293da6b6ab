// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

StaticPoseTask crooked_task() {
  return {.goal = Eigen::Vector3d(0.2, 0.1, -0.2),
          .ball = Eigen::Vector3d(0.1, 0.06, -0.2),
          .clearance = 0.05,
          .brace = Brace{.segment = 1, .distance = 0.05, .arm_radius = 0.015, .friction = 0.5},
          .max_torque = Vector::Constant(2, 0.3)};
}

Vector some_variables(const StaticPose& pose) {
  std::mt19937 generator(3);
  Vector z = random_vector(generator, pose.size(), 1);
  z.tail<2>() << 1.3, -0.4;
  return z;
}

}  // namespace

TEST_CASE("the constraints of a static pose have Jacobians with Taylor remainders of second order, row by row") {
  const StaticPose pose(FluidicArm(crooked_arm()), crooked_task());
  REQUIRE(pose.size() == 3 + 2 + 1 + 3);
  REQUIRE(pose.constraint_size() == 3 + 3 + 6 + 12);
  const Vector z = some_variables(pose);
  std::mt19937 generator(5);
  Vector c, ahead;
  Matrix J, ignored;
  pose.constraints(z, c, J);
  for (int direction = 0; direction < 3; ++direction) {
    const Vector w = random_vector(generator, pose.size(), 1);
    const auto remainder = [&](double h) -> Vector {
      pose.constraints(z + h * w, ahead, ignored);
      return (ahead - c - h * J * w).cwiseAbs();
    };
    const Vector far = remainder(1e-3), near = remainder(1e-4);
    for (Eigen::Index row = 0; row < c.size(); ++row) {
      INFO("row " << row);
      if (far[row] > 1e-12) CHECK(std::log10(far[row] / near[row]) == Approx(2).margin(0.1));  // else linear
    }
  }
}

TEST_CASE("statics without a brace are an equilibrium's, and the tip's rows measure in space") {
  const FluidicArm arm(crooked_arm());
  const Vector torques = Eigen::Vector2d(0.1, -0.05);
  const Equilibrium rest = find_equilibrium(arm, torques, Vector::Zero(3));
  REQUIRE(rest.converged);
  const StaticPose pose(arm, {.goal = arm.in_space(arm.tip(rest.q)), .max_torque = Vector::Constant(2, 0.2)});
  Vector z(pose.size());
  z << rest.q, torques, arm.description().base_rotation;
  CHECK(pose.violation(z) < 1e-9);
  z[3] += 0.07;  // within its limit, but no longer at rest
  CHECK(pose.violation(z) == Approx(0.07));
  z[3] = 0.5;
  CHECK(pose.violation(z) == Approx(0.4));
}

TEST_CASE("the statics of a brace are the work of its force at the skin that touches") {
  const FluidicArm arm(crooked_arm());
  const StaticPose pose(arm, crooked_task());
  const Brace& brace = *pose.task().brace;
  const Vector z = some_variables(pose);
  const Eigen::Vector3d contact = pose.contact(z);
  const Eigen::Vector2d normal(std::cos(contact[0]), std::sin(contact[0])), tangent(-normal.y(), normal.x());
  // A point of the section at the end of the braced segment, where the ball is: it turns as the section does.
  const auto skin = [&](const Vector& q) -> Eigen::Vector2d {
    const double turn = (q - pose.angles(z)).head(brace.segment + 1).sum();
    return arm.point(q, brace.segment, 1) - brace.arm_radius * (std::cos(turn) * normal + std::sin(turn) * tangent);
  };
  Vector c, forces;
  Matrix J;
  pose.constraints(z, c, J);
  arm.static_forces(pose.angles(z), forces, J);
  const Vector felt = forces - arm.actuation() * pose.torques(z) - c.head(3);
  for (int k = 0; k < 3; ++k) {
    const Vector h = 1e-6 * Vector::Unit(3, k);
    const Eigen::Vector2d moved = (skin(pose.angles(z) + h) - skin(pose.angles(z) - h)) / 2e-6;
    CHECK(felt[k] == Approx(moved.dot(contact[1] * normal + contact[2] * tangent)).margin(1e-9));
  }
}

TEST_CASE("the force that holds a braced arm is found from its pose and its torques") {
  const FluidicArm arm(crooked_arm());
  const Vector q = Eigen::Vector3d(0.4, 0.3, -0.5);
  const double phi = 1.1, radius = 0.015;
  const Eigen::Vector2d normal(std::cos(phi), std::sin(phi)),
      force = 1.7 * normal + 0.3 * Eigen::Vector2d(-normal.y(), normal.x());
  ArmDescription actuated = arm.description();
  actuated.passive_segments = 0;
  const FluidicArm whole(actuated);
  Vector forces;
  Matrix stiffness;
  whole.static_forces(q, forces, stiffness);
  Eigen::Vector2d p;
  Eigen::Matrix2Xd dp;
  whole.point(q, 1, 1, p, dp);
  Vector torques = forces - dp.transpose() * force;
  torques.head(2).array() += radius * 0.3;
  const Eigen::Vector2d found = holding_force(whole, q, torques, 1, phi, radius);
  CHECK(found[0] == Approx(1.7));
  CHECK(found[1] == Approx(0.3));
}

TEST_CASE("a static pose refuses a task that does not fit the arm") {
  const FluidicArm arm(crooked_arm());
  StaticPoseTask task = crooked_task();
  task.max_torque = Vector::Constant(3, 1);
  CHECK_THROWS_WITH(StaticPose(arm, task), Catch::Contains("3 limits for 2 torques"));
  task = crooked_task();
  task.ball.reset();
  CHECK_THROWS_WITH(StaticPose(arm, task), Catch::Contains("without a ball"));
  task = crooked_task();
  task.brace->segment = 3;
  CHECK_THROWS_WITH(StaticPose(arm, task), Catch::Contains("segment 3 of 3"));
  Vector c;
  Matrix J;
  CHECK_THROWS_WITH(StaticPose(arm, crooked_task()).constraints(Vector::Zero(4), c, J), Catch::Contains("4 variables"));
}

TEST_CASE("numbers of a static pose that mean nothing are refused with their name") {
  const FluidicArm arm(crooked_arm());
  using Task = StaticPoseTask;
  quoin::test::RefusedOptions("StaticPose", crooked_task(), [&](const Task& task) { StaticPose(arm, task); })
      .not_negative("clearance", &Task::clearance)
      .positive("points_per_segment", &Task::points_per_segment)
      .not_negative("max_torque[1]", [](Task& task) -> double& { return task.max_torque[1]; })
      .not_negative("max_angle", &Task::max_angle)
      .positive("brace.distance", [](Task& task) -> double& { return task.brace->distance; })
      .not_negative("brace.arm_radius", [](Task& task) -> double& { return task.brace->arm_radius; })
      .not_negative("brace.friction", [](Task& task) -> double& { return task.brace->friction; })
      .not_negative("brace.max_tilt", [](Task& task) -> double& { return task.brace->max_tilt; })
      .not_negative("brace.max_offset", [](Task& task) -> double& { return task.brace->max_offset; });
  const auto refused = [&](auto&& change, const char* why) {
    Task task = crooked_task();
    change(task);
    CHECK_THROWS_WITH(StaticPose(arm, task), Catch::Contains(why));
  };
  refused([](Task& task) { task.min_rotation = std::nan(""); }, "rotation from nan");
  refused([](Task& task) { task.max_rotation = -2; }, "rotation from -1.6 to -2");
  refused([](Task& task) { task.goal = Eigen::Vector3d(0, std::nan(""), 0); }, "goal is not finite");
  refused([](Task& task) { task.ball->x() = HUGE_VAL; }, "ball is not finite");
  refused([](Task& task) { task.brace->max_normal_force = std::nan(""); }, "normal forces from");
  refused([](Task& task) { task.brace->min_normal_force = 7; }, "normal forces from 7");
}
