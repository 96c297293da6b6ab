// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/velocity_based_control.hpp"

#include <catch2/catch.hpp>

namespace studies::iiwa {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using namespace quoin::rigid_body;

/// Seven joints in turn about z and y, upright at q = 0.
RigidBodyTree arm() {
  std::vector<Link> links(7);
  for (int i = 0; i < 7; ++i) {
    Link& link = links[static_cast<std::size_t>(i)];
    link.name = "link" + std::to_string(i);
    if (i > 0) link.parent = "link" + std::to_string(i - 1);
    link.joint = {.name = "joint" + std::to_string(i), .type = JointType::revolute};
    link.joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
    link.placement.translation() << 0, 0, 0.2;
    link.inertia = {.mass = 3 - 0.3 * i, .centre = {0, 0.02, 0.1}, .about_centre = 0.01 * Eigen::Matrix3d::Identity()};
  }
  return RigidBodyTree(links);
}

VectorXd bent() {
  VectorXd q(7);
  q << 0.1, 0.6, -0.2, 1.2, 0.3, 0.8, 0.1;
  return q;
}

struct Scene {
  RigidBodyTree tree = arm();
  Frame hand = tree.frame("link6");
  Vector3d point{0, 0.01, 0.1};
  VectorXd rest = bent(), q = bent() + VectorXd::Constant(7, 0.15), qd = VectorXd::LinSpaced(7, -0.5, 0.6);
};

TEST_CASE("joint references move the point as it is wanted, whatever the posture", "[rigid_body]") {
  Scene s;
  VelocityBasedControl control(s.tree, s.hand, s.point, s.rest, {.position_gain = 5, .damping = 0});
  const PointReference wanted{.x = {0.4, 0.1, 0.7}, .xd = {0.1, -0.2, 0.3}, .xdd = {1, 2, -1}};
  control.update(s.q, s.qd, wanted);
  NewtonEuler<> kinematics(s.tree);
  MatrixXd J(6, 7);
  kinematics.jacobian(s.q, s.hand, s.point, J);
  const Vector3d x = kinematics.pose(s.q, s.hand) * s.point, xd = J.topRows<3>() * s.qd;
  const Vector3d bias = kinematics.bias_acceleration(s.q, s.qd, s.hand, s.point).head<3>();
  CHECK((control.x() - x).norm() < 1e-14);
  CHECK((control.xd() - xd).norm() < 1e-13);
  CHECK((J.topRows<3>() * control.qd() - (wanted.xd + 5 * (wanted.x - x))).norm() < 1e-12);
  CHECK((J.topRows<3>() * control.qdd() + bias - (wanted.xdd + 5 * (wanted.xd - xd))).norm() < 1e-12);
}

TEST_CASE("what the point leaves free goes to the rest posture", "[rigid_body]") {
  Scene s;
  VelocityBasedControl control(s.tree, s.hand, s.point, s.rest, {.posture_gain = 2, .damping = 0});
  NewtonEuler<> kinematics(s.tree);
  MatrixXd J(6, 7);
  kinematics.jacobian(s.q, s.hand, s.point, J);
  const MatrixXd j = J.topRows<3>();
  const MatrixXd projector = MatrixXd::Identity(7, 7) - j.transpose() * (j * j.transpose()).inverse() * j;
  control.update(s.q, s.qd, {.x = kinematics.pose(s.q, s.hand) * s.point});
  CHECK((projector * control.qd() - 2 * projector * (s.rest - s.q)).norm() < 1e-12);
  CHECK((projector * control.qdd() + 2 * projector * s.qd).norm() < 1e-12);
}

TEST_CASE("with the true inverse dynamics the point's error falls as the gain says", "[rigid_body]") {
  Scene s;
  NewtonEuler<> plant(s.tree);
  VelocityBasedControl control(s.tree, s.hand, s.point, s.rest, {.position_gain = 4});
  VectorXd q = s.rest, qd = VectorXd::Zero(7), qdd(7), tau(7);
  MatrixXd M(7, 7);
  control.update(q, qd, {});
  const Vector3d goal = control.x() + Vector3d(0.05, -0.08, 0.06);
  const double start = (goal - control.x()).norm(), h = 1e-3;
  for (int k = 0; k < 2000; ++k) {
    control.update(q, qd, {.x = goal});
    plant.inverse_dynamics(q, qd, control.qdd(), tau);
    plant.mass_matrix(q, M);
    tau += 20 * M * (control.qd() - qd);  // joints at rest reach the wanted velocity in a twentieth of a second
    REQUIRE(plant.forward_dynamics(q, qd, tau, qdd) == ForwardStatus::ok);
    qd += h * qdd;
    q += h * qd;
  }
  control.update(q, qd, {.x = goal});
  const double left = (goal - control.x()).norm() / start;
  CHECK(left < 3 * std::exp(-4.0 * 2));
  CHECK(left > std::exp(-4.0 * 2) / 3);
}

TEST_CASE("damping bounds the joint rates where the arm is stretched", "[rigid_body]") {
  Scene s;
  const VectorXd stretched = VectorXd::Constant(7, 1e-4);
  const PointReference far{.x = {0, 0, 5}};
  const auto rates = [&](double damping) {
    VelocityBasedControl control(s.tree, s.hand, s.point, stretched, {.posture_gain = 0, .damping = damping});
    control.update(stretched, VectorXd::Zero(7), far);
    return std::pair(control.qd().norm(), 10 * (far.x - control.x()).norm());  // and the requested velocity
  };
  const auto [free, asked] = rates(0);
  const auto [damped, same] = rates(1e-2);
  CHECK(damped <= asked / (2 * 1e-2) * (1 + 1e-12));  // |J#| <= 1 / (2 damping)
  CHECK(free > asked / (2 * 1e-2));
  CHECK(same == asked);
}

TEST_CASE("a control that does not fit its robot is refused with the numbers", "[rigid_body]") {
  Scene s;
  CHECK_THROWS_WITH(VelocityBasedControl(s.tree, s.hand, s.point, VectorXd::Zero(3)),
                    Catch::Contains("rest of 3 joints for 7"));
  CHECK_THROWS_WITH(VelocityBasedControl(s.tree, s.hand, s.point, s.rest, {.position_gain = -1}),
                    Catch::Contains("position gain -1"));
  VelocityBasedControl control(s.tree, s.hand, s.point, s.rest);
  CHECK_THROWS_AS(control.update(VectorXd::Zero(3), VectorXd::Zero(7), {}), std::invalid_argument);
}

}  // namespace
}  // namespace studies::iiwa
