// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/robot_plant.hpp"

#include "examples/studies/identify_iiwa/arm_runs.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

namespace studies::iiwa {
namespace {

using Eigen::VectorXd;
using rigid_body::RigidBodyTree;

/// A rod of 1 kg that swings about a level axis, its centre 0.5 m away.
RigidBodyTree pendulum(double friction = 0) {
  rigid_body::Link rod{.name = "rod"};
  rod.joint = {.name = "pivot",
               .type = rigid_body::JointType::revolute,
               .axis = Eigen::Vector3d::UnitY(),
               .effort = 8,
               .damping = 0,
               .friction = friction};
  rod.inertia = {.mass = 1, .centre = {0, 0, -0.5}, .about_centre = 0.02 * Eigen::Matrix3d::Identity()};
  return RigidBodyTree({rod});
}

VectorXd one(double value) { return VectorXd::Constant(1, value); }

TEST_CASE("a plant without friction keeps its energy", "[iiwa]") {
  RobotPlant plant(pendulum(), {}, 1);
  plant.start(one(1.0), one(0));
  rigid_body::NewtonEuler<> dynamics(pendulum());
  const auto energy = [&] {
    const auto e = dynamics.energy(plant.q(), plant.qd());
    return e.kinetic + e.potential;
  };
  const double before = energy();
  for (int k = 0; k < 1000; ++k) {
    REQUIRE(plant.command(one(0)));
    plant.advance();
  }
  CHECK(std::abs(energy() - before) < 1e-8);
  CHECK(std::abs(plant.q()[0] - 1.0) > 1e-3);
}

TEST_CASE("torques act as many periods late as the plant says, within the joint's limits", "[iiwa]") {
  RobotPlant plant(pendulum(), {.delay = 2}, 1);
  plant.start(one(0), one(0));
  for (const double wanted : {1.0, 2.0, 50.0, 4.0, 5.0}) plant.command(one(wanted));
  CHECK(plant.tau()[0] == 8);  // the third, cut at the limit of effort
  plant.command(one(6));
  CHECK(plant.tau()[0] == 4);
}

TEST_CASE("Coulomb friction holds what viscous friction would let creep", "[iiwa]") {
  const auto moved = [](rigid_body::Friction kind) {
    RobotPlant plant(pendulum(1), {.friction = kind, .substeps = 20}, 1);
    plant.start(one(0), one(0));
    for (int k = 0; k < 250; ++k) {
      plant.command(one(0.5));
      plant.advance();
    }
    return std::abs(plant.q()[0]);
  };
  // Smooth friction of 1 N m creeps under half of it.
  CHECK(moved(rigid_body::Friction::viscous_and_coulomb) < 0.3 * moved(rigid_body::Friction::viscous));
}

TEST_CASE("noise has the deviation that was asked for and is the same for the same seed", "[iiwa]") {
  RobotPlant plant(pendulum(), {.position_noise = 0.01}, 5), again(pendulum(), {.position_noise = 0.01}, 5);
  double squares = 0;
  for (int k = 0; k < 4000; ++k) {
    const double q = plant.measure().q[0];
    CHECK(q == again.measure().q[0]);
    squares += q * q;
  }
  CHECK(std::sqrt(squares / 4000) == Approx(0.01).epsilon(0.05));
  CHECK(plant.measure().qd[0] == 0);
}

TEST_CASE("a robot that is commanded nonsense, or flies away, is lost", "[iiwa]") {
  RobotPlant plant(pendulum(), {}, 1);
  CHECK_FALSE(plant.command(one(std::numeric_limits<double>::quiet_NaN())));
  plant.start(one(0), one(200));
  CHECK_FALSE(plant.command(one(0)));
}

TEST_CASE("a normalized error is one where the robot stays at the mean of what it should do", "[iiwa]") {
  TrackingError error;
  for (int k = 0; k < 100; ++k) {
    const double wanted = std::sin(0.1 * k);
    error.add(Eigen::Vector2d(wanted, 2 * wanted + 3), Eigen::Vector2d(wanted, 3 + 2 * wanted + 1));
  }
  double mean = 0, squares = 0;
  for (int k = 0; k < 100; ++k) mean += std::sin(0.1 * k) / 100;
  for (int k = 0; k < 100; ++k) squares += std::pow(std::sin(0.1 * k) - mean, 2);
  CHECK(error.of_each()[0] == 0);
  CHECK(error.of_each()[1] == Approx(100 / (4 * squares)));
  CHECK(error.of_all() == Approx(100 / (5 * squares)));
}

TEST_CASE("with its true inverse dynamics a robot follows sines with errors of the order of the held torques",
          "[iiwa]") {
  const auto error_with = [](double period) {
    RobotPlant plant(pendulum(), {.control_period = period}, 1);
    rigid_body::NewtonEuler<> dynamics(pendulum());
    const auto model = [&](const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, VectorXd& tau) {
      dynamics.inverse_dynamics(q, qd, qdd, tau);
    };
    const JointRun run =
        follow(plant, model, {.amplitudes = one(0.5), .periods = one(2)}, {.stiffness = one(4), .damping = one(1)}, 4);
    CHECK(run.stable);
    CHECK(run.exact.instants() == std::lround(4 / period));
    return std::sqrt(run.q.of_mean());
  };
  const double coarse = error_with(0.02), fine = error_with(0.01);
  CHECK(coarse / fine > 1.6);
  CHECK(coarse / fine < 2.5);
  CHECK(fine < 0.05);
}

TEST_CASE("recorded torques and accelerations fit the robot exactly", "[iiwa]") {
  RobotPlant plant(pendulum(), {}, 1);
  rigid_body::NewtonEuler<> dynamics(pendulum());
  const auto none = [](const VectorXd&, const VectorXd&, const VectorXd&, VectorXd& tau) { tau.setZero(); };
  const JointRun run =
      follow(plant, none, {.amplitudes = one(0.5), .periods = one(2)}, {.stiffness = one(20), .damping = one(4)}, 1);
  VectorXd tau(1);
  for (Eigen::Index k = 0; k < run.exact.instants(); ++k) {
    dynamics.inverse_dynamics(run.exact.q.col(k), run.exact.qd.col(k), run.exact.qdd.col(k), tau);
    CHECK(std::abs(tau[0] - run.exact.tau(0, k)) < 1e-10);
  }
}

}  // namespace
}  // namespace studies::iiwa
