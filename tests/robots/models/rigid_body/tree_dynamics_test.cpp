// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"

#include "quoin/map/derivative_check.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/models/rigid_body/urdf.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace quoin::rigid_body {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

static_assert(DiscreteDynamics<RungeKutta<TreeDynamics>>);

/// Two rods that hang from the world, with friction that has a derivative everywhere.
TreeDynamics double_pendulum() {
  const Inertia rod{
      .mass = 1.2, .centre = {0, 0, -0.2}, .about_centre = Eigen::Vector3d(0.02, 0.02, 1e-3).asDiagonal()};
  const Joint hinge{
      .name = "shoulder", .type = JointType::revolute, .axis = {0, 1, 0}, .damping = 0.1, .friction = 0.3};
  Joint elbow = hinge;
  elbow.name = "elbow";
  const Eigen::Isometry3d below(Eigen::Translation3d(0, 0, -0.4));
  return TreeDynamics(
      RigidBodyTree({{.name = "upper", .joint = hinge, .inertia = rod},
                     {.name = "lower", .parent = "upper", .joint = elbow, .placement = below, .inertia = rod}}),
      {.friction = Friction::viscous_and_coulomb, .friction_velocity = 0.5});
}

/// (x, u) -> dx/dt or x', in the form of the derivative check.
template <int Joints, class Call>
struct AsMap {
  Call call;
  Eigen::Index output_size() const { return 2 * Joints; }
  Answer evaluate(const Point<3 * Joints>& z, VectorXd& y) const {
    REQUIRE(call(z.template head<2 * Joints>(), z.template tail<Joints>(), y) == StepStatus::ok);
    return {.trust = Trust::exact};
  }
  Answer evaluate(const Point<3 * Joints>& z, VectorXd& y, MatrixXd& J) const {
    MatrixXd dx, du;
    REQUIRE(call(z.template head<2 * Joints>(), z.template tail<Joints>(), y, dx, du) == StepStatus::ok);
    J.resize(2 * Joints, 3 * Joints);
    J << dx, du;
    return {.trust = Trust::exact};
  }
};

template <int Joints>
void derivatives_are_right(const TreeDynamics& robot, const Point<3 * Joints>& z) {
  const auto of_rate = [&](const VectorXd& x, const VectorXd& u, auto&... out) { return robot.rate(x, u, out...); };
  const RungeKutta<TreeDynamics> step(robot, 0.01, 2);
  const auto of_step = [&](const VectorXd& x, const VectorXd& u, auto&... out) { return step.step(x, u, out...); };
  const auto rates = check_derivatives<3 * Joints>(AsMap<Joints, decltype(of_rate)>{of_rate}, z);
  INFO(rates.message);
  CHECK(rates.passed);
  const auto steps = check_derivatives<3 * Joints>(AsMap<Joints, decltype(of_step)>{of_step}, z);
  INFO(steps.message);
  CHECK(steps.passed);
}

/// Checks that M(q) a + ... = u has the accelerations of dx/dt, and that both forms of the dynamics have
/// the same derivatives.
void forms_agree(const TreeDynamics& robot, const VectorXd& x, const VectorXd& u) {
  const Eigen::Index n = robot.coordinates();
  VectorXd rate, forces, alone;
  MatrixXd A, B, dq, dv, da;
  REQUIRE(robot.rate(x, u, rate, A, B) == StepStatus::ok);
  const VectorXd q = x.head(n), v = x.tail(n), a = rate.tail(n);
  REQUIRE(robot.inverse_dynamics(q, v, a, forces, dq, dv, da) == StepStatus::ok);
  REQUIRE(robot.inverse_dynamics(q, v, a, alone) == StepStatus::ok);
  CHECK(rate.head(n) == v);
  CHECK((forces - robot.actuation() * u).norm() < 1e-10 * (1 + u.norm()));
  CHECK((alone - forces).norm() < 1e-12 * (1 + u.norm()));
  CHECK((da * A.bottomLeftCorner(n, n) + dq).norm() < 1e-10 * (1 + dq.norm()));
  CHECK((da * A.bottomRightCorner(n, n) + dv).norm() < 1e-10 * (1 + dv.norm()));
  CHECK((da * B.bottomRows(n) - MatrixXd::Identity(n, n)).norm() < 1e-10);
}

}  // namespace

TEST_CASE("a double pendulum with friction has the derivatives of its rates and of its Runge-Kutta steps") {
  const TreeDynamics robot = double_pendulum();
  Point<6> z;
  z << 0.7, -1.1, 0.4, 0.9, 1.5, -0.6;
  derivatives_are_right<2>(robot, z);
  forms_agree(robot, z.head<4>(), z.tail<2>());
}

#ifdef QUOIN_HAS_URDF
TEST_CASE("an iiwa from its URDF has the derivatives of its rates and of its Runge-Kutta steps") {
  const TreeDynamics robot(RigidBodyTree(read_urdf(QUOIN_IIWA7_URDF)), {.friction = Friction::viscous});
  REQUIRE(robot.coordinates() == 7);
  Point<21> z;
  z << 0.3, 0.8, -0.4, -1.2, 0.5, 0.9, 0.1, 0.2, -0.5, 0.7, 0.3, -0.8, 0.4, 0.6, 5, -40, 3, 20, -1, 0.5, 0.2;
  derivatives_are_right<7>(robot, z);
  forms_agree(robot, z.head<14>(), z.tail<7>());
}
#endif

TEST_CASE("a robot's dynamics answer many threads as they answer one, and copies share what they calculate in") {
  const TreeDynamics robot(RigidBodyTree(random_links(6, 3)));
  const auto state = [&](int i) { return VectorXd(VectorXd::LinSpaced(robot.state_size(), -1, 1 + 0.1 * i)); };
  const VectorXd u = VectorXd::LinSpaced(robot.control_size(), -2, 3);
  std::vector<VectorXd> alone(8), together(8);
  for (int i = 0; i < 8; ++i) REQUIRE(robot.rate(state(i), u, alone[i]) == StepStatus::ok);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i, copy = robot] {
      for (int again = 0; again < 20; ++again) copy.rate(state(i), u, together[i]);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(together == alone);
}

TEST_CASE("a robot's dynamics refuse sizes, and say where a joint moves no mass or numbers overflow") {
  const TreeDynamics robot = double_pendulum();
  VectorXd rate;
  CHECK_THROWS_WITH(robot.rate(VectorXd::Zero(3), VectorXd::Zero(2), rate), Catch::Contains("3 numbers and 2 forces"));
  CHECK_THROWS_AS(robot.inverse_dynamics(VectorXd::Zero(3), VectorXd::Zero(2), VectorXd::Zero(2), rate),
                  std::invalid_argument);
  CHECK(robot.rate(VectorXd::Constant(4, 1e200), VectorXd::Zero(2), rate) == StepStatus::not_converged);
  const TreeDynamics light(
      RigidBodyTree({{.name = "nothing", .joint = {.name = "hinge", .type = JointType::revolute}}}));
  CHECK(light.rate(VectorXd::Zero(2), VectorXd::Zero(1), rate) == StepStatus::singular);
}

}  // namespace quoin::rigid_body
