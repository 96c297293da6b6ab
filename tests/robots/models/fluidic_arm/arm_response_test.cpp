// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"
#include "quoin/robots/models/fluidic_arm/volume_history.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

/// References in mL, 3 x frames, that swing all actuators through both signs.
Matrix waves(Eigen::Index frames) {
  return Matrix::NullaryExpr(3, frames, [](Eigen::Index i, Eigen::Index j) {
    return 40 * std::sin(0.12 * static_cast<double>(j + 1) * (1 + 0.4 * static_cast<double>(i)));
  });
}

/// The ends by Runge-Kutta steps of 0.1 ms, whatever they cost: 2N x frames.
Matrix ends_by_short_steps(const FluidicSystem& system, const Vector& angles, const Matrix& inputs) {
  const FluidicArm arm(system.arm);
  VolumeHistory history(system.cylinders, 0.02);
  Vector x = Vector::Zero(2 * angles.size()), volumes, rates;
  x.head(angles.size()) = angles;
  Matrix all(x.size(), inputs.cols());
  const auto torques = [&](double time) {
    history.at(time - system.delay, volumes, rates);
    return actuator_torques(system, volumes);
  };
  for (Eigen::Index i = 0; i < inputs.cols(); ++i) {
    Eigen::Matrix2Xd ends;
    arm.end_points(x.head(angles.size()), ends);
    all.col(i) = ends.reshaped();
    if (i + 1 == inputs.cols()) break;
    history.advance(inputs.col(i));
    for (int j = 0; j < 200; ++j)
      REQUIRE(runge_kutta_step(arm, torques, 0.02 * static_cast<double>(i) + 1e-4 * j, 1e-4, x) == StepStatus::ok);
  }
  return all;
}

double largest_distance(const Matrix& ends, const Matrix& others) {
  double largest = 0;
  for (Eigen::Index row = 0; row < ends.rows(); row += 2)
    largest = std::max(largest, (ends - others).middleRows(row, 2).colwise().norm().maxCoeff());
  return largest;
}

/// An arm of Table 1 with masses and stiffnesses up to 20 % off, its angles at the start and references that jump.
struct DrawnMotion {
  FluidicSystem system = table1_system();
  Vector angles;
  Matrix inputs{3, 41};

  DrawnMotion(unsigned seed, double damping, double friction) {
    std::mt19937 generator(seed);
    for (Segment& segment : system.arm.segments) {
      segment.mass *= 1 + random_vector(generator, 1, 0.2)[0];
      segment.stiffness *= 1 + random_vector(generator, 1, 0.2)[0];
      segment.damping = damping;
      segment.friction = friction;
    }
    system.delay = 0.05 + random_vector(generator, 1, 0.02)[0];
    angles = random_vector(generator, 4, 1);
    for (Eigen::Index i = 0; i < inputs.cols(); ++i)
      inputs.col(i) = i % 13 == 0 ? random_vector(generator, 3, 55) : Vector(inputs.col(i - 1));
  }
};

}  // namespace

TEST_CASE("an actuator's volume is the inverse of its torque, with and without a linear term") {
  for (const CubicActuator actuator : {CubicActuator{.cubic = 8e-7}, CubicActuator{.cubic = 8e-7, .linear = 1e-3},
                                       CubicActuator{.cubic = 8e-7, .linear = 1e-9}, CubicActuator{.linear = 2e-3}})
    for (const double volume : {-60., -3., -1e-6, 0., 1e-3, 1., 17., 60.}) {
      CAPTURE(actuator.cubic, actuator.linear, volume);
      CHECK(actuator.volume(actuator.torque(volume)) == Approx(volume).epsilon(1e-12).margin(1e-300));
      CHECK(
          actuator.slope(volume) ==
          Approx((actuator.torque(volume + 1e-4) - actuator.torque(volume - 1e-4)) / 2e-4).epsilon(1e-6).margin(1e-14));
    }
}

TEST_CASE("the volumes of cylinders are those of their linear systems, and zero before they begin") {
  // Step response of a second-order system, critically damped: 1 - (1 + w t) e^{-w t}.
  const double w = 20;
  VolumeHistory history({second_order_cylinder(w, 1)}, 0.02);
  for (int i = 0; i < 10; ++i) history.advance(Vector::Constant(1, 50));
  Vector volumes, rates;
  for (const double t : {0.0004, 0.0131, 0.07, 0.1999, 0.2}) {
    history.at(t, volumes, rates);
    CHECK(volumes[0] == Approx(50 * (1 - (1 + w * t) * std::exp(-w * t))).margin(1e-6));
    CHECK(rates[0] == Approx(50 * w * w * t * std::exp(-w * t)).epsilon(1e-3));
  }
  history.at(-0.01, volumes, rates);
  CHECK(volumes[0] == 0);
  CHECK_THROWS_WITH(history.at(0.25, volumes, rates), Catch::Contains("ends at 0.2"));
  CHECK_THROWS_WITH(history.advance(Vector::Zero(2)), Catch::Contains("2 references for 1"));
}

TEST_CASE("a system's parameters have names, by segment") {
  FluidicSystem system = table1_system();
  const SystemParameters layout(system);
  REQUIRE(system.actuators.size() == 3);
  const std::vector<std::string> wanted{
      "m1", "m2", "m3", "m4", "k1", "k2", "k3", "k4", "b1",  "b2",        "b3",        "b4",        "f1",       "f2",
      "f3", "f4", "c2", "c3", "c4", "l2", "l3", "l4", "t_d", "theta1(0)", "theta2(0)", "theta3(0)", "theta4(0)"};
  CHECK(layout.names() == wanted);
  system.actuators[1].cubic = 5e-7;
  const Vector p = layout.read(system, Vector::Zero(4));
  CHECK(p[std::ranges::find(wanted, "c3") - wanted.begin()] == 5e-7);
}

TEST_CASE("with friction, from rest, derivatives by every parameter agree with differences") {
  // Before the first torque arrives nothing moves, and no step has an error; friction's slope is steepest there.
  FluidicSystem system = table1_system();
  for (Segment& segment : system.arm.segments) segment.friction = 3e-3;
  for (CubicActuator& actuator : system.actuators) actuator.linear = 1e-4;
  const SystemParameters layout(system);
  const Vector p = layout.read(system, Vector::Zero(4));
  const Matrix inputs = waves(31);
  const auto ends = [&](const Vector& at) {
    const ArmResponse response = simulate(layout.write(system, at), at.tail(4), inputs, 0.02);
    REQUIRE(response.status == StepStatus::ok);
    return Vector(response.ends.reshaped());
  };
  const ArmResponse response = simulate(system, Vector::Zero(4), inputs, 0.02, {.with_jacobian = true});
  REQUIRE(response.status == StepStatus::ok);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    // Large enough for the steps' own errors, small enough for the curvature where rates change sign.
    const double h = i >= layout.angle(0) ? 1e-3 : 0.01 * p[i];
    const Vector difference =
        (ends(p + h * Vector::Unit(p.size(), i)) - ends(p - h * Vector::Unit(p.size(), i))) / (2 * h);
    CAPTURE(i, difference.norm());
    CHECK((response.jacobian.col(i) - difference).norm() < 0.02 * difference.norm());
  }
}

TEST_CASE("derivatives of a motion by every parameter leave Taylor remainders of second order") {
  const FluidicSystem system = table1_system();
  const SystemParameters layout(system);
  const Vector angles = Eigen::Vector4d(0.1, -0.2, 0.15, 0.3), p = layout.read(system, angles);
  const Matrix inputs = waves(31);
  const auto ends = [&](const Vector& at) {
    const ArmResponse response = simulate(layout.write(system, at), at.tail(4), inputs, 0.02);
    REQUIRE(response.status == StepStatus::ok);
    return Vector(response.ends.reshaped());
  };
  const ArmResponse response = simulate(system, angles, inputs, 0.02, {.with_jacobian = true});
  REQUIRE(response.jacobian.rows() == 8 * 31);
  CHECK((ends(p) - response.ends.reshaped()).norm() < 1e-13);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    if (i >= layout.friction(0) && i <= layout.friction(3)) continue;  // none here: below
    // Steps in units in which 1 is a large change.
    double unit = p[i] != 0 ? p[i] : 1e-3;
    if (i == layout.delay()) unit = 0.01;
    double last = 0;
    for (double h = 0.1; h > 5e-4; h /= 10) {
      const double now = (ends(p + h * unit * Vector::Unit(p.size(), i)) - response.ends.reshaped() -
                          h * unit * response.jacobian.col(i))
                             .norm();
      CAPTURE(i, h, now);
      if (last > 0 && now > 1e-12) {
        CHECK(std::log10(last / now) > 1.6);
        CHECK(std::log10(last / now) < 2.4);
      }
      last = now;
    }
  }
}

TEST_CASE(
    "whatever the damping, simulated motions and plants are within 1e-5 m of steps of 0.1 ms, or they are not ok") {
  unsigned seed = 71;
  for (const double friction : {0., 3e-3})
    for (const double damping : {1e-3, 2.2e-3, 4.2e-3, 1e-2, 1.5e-2, 3.3e-2, 1e-1}) {
      const DrawnMotion drawn(++seed, damping, friction);
      CAPTURE(seed, damping, friction);
      const ArmResponse response = simulate(drawn.system, drawn.angles, drawn.inputs, 0.02);
      CHECK(response.status == StepStatus::ok);  // none of these is beyond reach
      CHECK(largest_distance(response.ends, ends_by_short_steps(drawn.system, drawn.angles, drawn.inputs)) < 1e-5);

      FluidicPlant plant(drawn.system, {.noise = 0});
      const Recording seen =
          plant.run([&](double t, const Vector&) { return Vector(drawn.inputs.col(std::lround(t / 0.02))); }, 0.8);
      CHECK(seen.status == StepStatus::ok);
      CHECK(largest_distance(seen.outputs, ends_by_short_steps(drawn.system, Vector::Zero(4), drawn.inputs)) < 1e-5);
    }
}

TEST_CASE("a motion that magnifies its errors is within 1e-5 m, or it is not ok") {
  int ended = 0;
  for (unsigned seed = 300; seed < 308; ++seed) {
    DrawnMotion wild(seed, 1e-3, 0);
    wild.angles *= 2.5;
    wild.inputs *= 2;
    CAPTURE(seed);
    const ArmResponse response = simulate(wild.system, wild.angles, wild.inputs, 0.02);
    if (response.status == StepStatus::ok)
      CHECK(largest_distance(response.ends, ends_by_short_steps(wild.system, wild.angles, wild.inputs)) < 1e-5);
    else
      ++ended;
  }
  CHECK(ended > 0);
  CHECK(ended < 8);
}

TEST_CASE("a motion whose fastest mode asks for steps that are too short ends with a status") {
  const DrawnMotion stiff(5, 30, 0);
  const ArmResponse response = simulate(stiff.system, stiff.angles, stiff.inputs, 0.02);
  CHECK(response.status == StepStatus::not_converged);
  CHECK(response.ends.cols() < stiff.inputs.cols());
  FluidicPlant plant(stiff.system, {.initial_angle_noise = 0.5});
  const Recording seen = plant.run([&](double, const Vector&) { return Vector(stiff.inputs.col(0)); }, 0.8);
  CHECK(seen.status == StepStatus::not_converged);
  CHECK(seen.outputs.cols() == seen.times.size());
}

TEST_CASE("a simulated motion is fourth order in its step, and a delay shifts what the actuators do") {
  FluidicSystem system = table1_system();
  system.delay = 0.04;  // knots and frames then coincide
  const Matrix inputs = waves(26);
  const auto ends = [&](double step) { return simulate(system, Vector::Zero(4), inputs, 0.02, {.step = step}).ends; };
  const Matrix truth = ends(0.02 / 64);
  // Steps that are short enough to be taken as they are asked for.
  const double coarse = (ends(0.02 / 8) - truth).norm(), fine = (ends(0.02 / 16) - truth).norm();
  CHECK(std::log2(coarse / fine) > 3);
  CHECK(fine < 1e-5);
  const ArmResponse late = simulate(system, Vector::Zero(4), inputs, 0.02);
  system.delay = 0;
  const ArmResponse prompt = simulate(system, Vector::Zero(4), inputs, 0.02);
  CHECK((late.torques.rightCols(24) - prompt.torques.leftCols(24)).norm() < 1e-12);
  CHECK(late.ends.leftCols(3).colwise().norm().minCoeff() > 0);
  CHECK((late.ends.leftCols(3) - prompt.ends.leftCols(1).replicate(1, 3)).norm() < 1e-12);
}

TEST_CASE("the angles of measured ends are found, from noise too") {
  const FluidicArm arm(table1_arm());
  std::mt19937 generator(8);
  for (int trial = 0; trial < 30; ++trial) {
    const Vector q = random_vector(generator, 4, 1.2);
    Eigen::Matrix2Xd ends;
    arm.end_points(q, ends);
    CHECK((angles_of_ends(arm, ends.reshaped()) - q).norm() < 1e-9);
    const Vector noisy = ends.reshaped() + random_vector(generator, 8, 2e-3);
    CHECK((angles_of_ends(arm, noisy) - q).norm() < 0.3);
  }
  CHECK_THROWS_WITH(angles_of_ends(arm, Vector::Zero(4)), Catch::Contains("4 coordinates"));
}

TEST_CASE(
    "a plant without noise does what its description says, with noise what its seed says, and clamps references") {
  const FluidicSystem system = table1_system();
  const Matrix inputs = waves(31);
  const Controller controller = [&](double t, const Vector&) { return Vector(inputs.col(std::lround(t / 0.02))); };
  FluidicPlant exact(system, {.noise = 0});
  const Recording seen = exact.run(controller, 0.6);
  REQUIRE(seen.outputs.cols() == 31);
  CHECK(seen.inputs == inputs);
  CHECK((seen.outputs - simulate(system, Vector::Zero(4), inputs, 0.02, {.step = 2e-3}).ends).norm() < 1e-12);
  CHECK((exact.tip_states().topRows(2) - seen.outputs.bottomRows(2)).norm() < 1e-12);

  FluidicPlant one(system, {.seed = 7}), other(system, {.seed = 7});
  const Recording first = one.run(controller, 0.6);
  CHECK(first.outputs == other.run(controller, 0.6).outputs);
  CHECK(first.outputs != one.run(controller, 0.6).outputs);
  const double deviation = std::sqrt((first.outputs - seen.outputs).squaredNorm() / static_cast<double>(8 * 31));
  CHECK(deviation == Approx(1.5e-3).epsilon(0.15));

  FluidicPlant weak(system, {.noise = 0, .largest_reference = 25});
  CHECK(weak.run(controller, 0.6).inputs.cwiseAbs().maxCoeff() == 25);
}

TEST_CASE("systems whose parts do not fit are refused") {
  FluidicSystem system = table1_system();
  system.actuators.pop_back();
  CHECK_THROWS_WITH(FluidicPlant(system), Catch::Contains("2 actuators and 3 cylinders for 3"));
  system = table1_system();
  system.delay = -0.1;
  CHECK_THROWS_WITH(check(system), Catch::Contains("-0.1"));
  system = table1_system();
  CHECK_THROWS_WITH(simulate(system, Vector::Zero(4), Matrix::Zero(2, 5), 0.02), Catch::Contains("inputs are 2 x 5"));
}
