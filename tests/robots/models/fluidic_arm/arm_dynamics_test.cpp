// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;
using quoin::StepStatus;

namespace {

const double none = std::numeric_limits<double>::infinity();  // a tolerance: steps of one length

/// Calls check(arm, q, v, a) for random motions of a crooked arm with each mass model.
template <class Check>
void for_random_motions(unsigned seed, const Check& check) {
  for (const MassModel model : all_mass_models) {
    const FluidicArm arm(crooked_arm(model));
    std::mt19937 generator(seed);
    for (int trial = 0; trial < 5; ++trial) {
      const Vector q = random_vector(generator, 3, 2), v = random_vector(generator, 3, 3),
                   a = random_vector(generator, 3, 5);
      check(arm, q, v, a);
    }
  }
}

}  // namespace

TEST_CASE("inverse dynamics are Lagrange's equations of the energies") {
  for_random_motions(11, [](const FluidicArm& arm, const Vector& q, const Vector& v, const Vector& a) {
    // d/dt dT/dv - dT/dq + dV/dq along q(t) = q + v t + a t^2 / 2, by fourth-order differences.
    const double h = 2e-3;
    const auto central = [&](auto f) { return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h); };
    Vector expected(3);
    for (int i = 0; i < 3; ++i) {
      const Vector unit = Vector::Unit(3, i);
      const double momentum_rate =
          central([&](double t) { return (arm.mass_matrix(q + v * t + 0.5 * a * t * t) * (v + a * t))[i]; });
      const double slope =
          central([&](double s) { return arm.kinetic_energy(q + s * unit, v) - arm.potential_energy(q + s * unit); });
      expected[i] = momentum_rate - slope + arm.description().segments[static_cast<std::size_t>(i)].damping * v[i];
    }
    Vector forces;
    REQUIRE(arm.inverse_dynamics(q, v, a, forces) == StepStatus::ok);
    CHECK((forces - expected).norm() < 1e-8);
  });
}

TEST_CASE("mass, Coriolis, gravity and regressor agree with inverse dynamics, and dM/dt - 2C is skew-symmetric") {
  for_random_motions(12, [](const FluidicArm& arm, const Vector& q, const Vector& v, const Vector& a) {
    Vector forces, p(9);
    REQUIRE(arm.inverse_dynamics(q, v, a, forces) == StepStatus::ok);
    const Matrix M = arm.mass_matrix(q), C = arm.coriolis_matrix(q, v);
    for (int i = 0; i < 3; ++i) {
      const Segment& segment = arm.description().segments[static_cast<std::size_t>(i)];
      p[i] = segment.mass;
      p[3 + i] = segment.stiffness;
      p[6 + i] = segment.damping;
    }
    const Vector elastic = p.segment(3, 3).cwiseProduct(q) + p.tail(3).cwiseProduct(v);
    CHECK((M * a + C * v + arm.gravity_forces(q) + elastic - forces).norm() < 1e-13);
    CHECK((arm.regressor(q, v, a) * p - forces).norm() < 1e-13);
    const double h = 1e-4;
    const Matrix rate = (arm.mass_matrix(q + h * v) - arm.mass_matrix(q - h * v)) / (2 * h), skew = rate - 2 * C;
    CHECK((skew + skew.transpose()).norm() < 1e-6 * (1 + rate.norm()));
  });
}

TEST_CASE("derivatives of inverse dynamics, of the rate and of static forces leave remainders of second order") {
  for (const MassModel model : all_mass_models) {
    ArmDescription description = crooked_arm(model);
    description.segments[1].friction = 2e-3;
    const FluidicArm arm(description);
    std::mt19937 generator(13);
    for (int trial = 0; trial < 4; ++trial) {
      const Vector q = trial == 0 ? Vector::Zero(3) : random_vector(generator, 3, 2),
                   v = random_vector(generator, 3, 0.1), a = random_vector(generator, 3, 5),
                   u = random_vector(generator, 2, 0.1);
      const Vector dq = random_vector(generator, 3, 1), dv = random_vector(generator, 3, 0.03),
                   da = random_vector(generator, 3, 1), du = random_vector(generator, 2, 1);
      Vector x(6), dx(6), forces, ahead, rate, rate_ahead, held, held_ahead;
      Matrix by_q, by_v, by_a, by_x, by_u, stiffness, ignored;
      x << q, v;
      dx << dq, dv;
      REQUIRE(arm.inverse_dynamics(q, v, a, forces, by_q, by_v, by_a) == StepStatus::ok);
      REQUIRE(arm.rate(x, u, rate, by_x, by_u) == StepStatus::ok);
      arm.static_forces(q, held, stiffness);
      Vector back;
      REQUIRE(arm.inverse_dynamics(q, v, rate.tail(3), back) == StepStatus::ok);
      CHECK((back - arm.actuation() * u).norm() < 1e-11);
      double last[3] = {};
      for (double h = 3e-3; h > 3e-5; h /= 10) {
        REQUIRE(arm.inverse_dynamics(q + h * dq, v + h * dv, a + h * da, ahead) == StepStatus::ok);
        REQUIRE(arm.rate(x + h * dx, u + h * du, rate_ahead) == StepStatus::ok);
        arm.static_forces(q + h * dq, held_ahead, ignored);
        const double now[3] = {(ahead - forces - h * (by_q * dq + by_v * dv + by_a * da)).norm(),
                               (rate_ahead - rate - h * (by_x * dx + by_u * du)).norm() / (1 + rate.norm()),
                               (held_ahead - held - h * stiffness * dq).norm()};
        for (int i = 0; i < 3; ++i) {
          CAPTURE(static_cast<int>(model), trial, i, h, now[i]);
          if (last[i] > 0) CHECK(std::log10(last[i] / now[i]) == Approx(2).margin(0.25));
          last[i] = now[i];
        }
      }
    }
  }
}

TEST_CASE("without damping the energy is kept, with it it falls by what damping takes") {
  ArmDescription description = crooked_arm();
  for (Segment& segment : description.segments) segment.damping = 0;
  const FluidicArm free(description);
  const auto energy = [](const FluidicArm& arm, const Vector& x) {
    return arm.kinetic_energy(x.head(3), x.tail(3)) + arm.potential_energy(x.head(3));
  };
  const auto after = [](const FluidicArm& arm, int steps) {
    Vector x(6);
    x << 0.5, -0.3, 0.4, 0, 0, 0;
    REQUIRE(quoin::RungeKutta(arm, 0.5, steps, none).step(Vector(x), Vector::Zero(2), x) == StepStatus::ok);
    return x;
  };
  Vector start(6);
  start << 0.5, -0.3, 0.4, 0, 0, 0;
  const double coarse = std::abs(energy(free, after(free, 500)) - energy(free, start));
  const double fine = std::abs(energy(free, after(free, 1000)) - energy(free, start));
  CHECK(fine < 1e-7);
  CHECK(std::log2(coarse / fine) > 3.5);  // the loss is the integrator's

  const FluidicArm damped(crooked_arm());
  CHECK(energy(damped, after(damped, 1000)) < energy(damped, start) - 1e-3);
}

TEST_CASE("the inertia of a straight segment felt by its tip's end is the model's: 1/64, 1/16, exactly 1/20 of m L^2") {
  // Lateral motion of a straight segment bent by theta: (s / L)^2 L / 2 theta.
  const auto inertia = [](MassModel model) {
    return FluidicArm({.segments = {{.length = 2, .mass = 3}}, .mass_model = model})
               .mass_matrix(Vector::Zero(1))(0, 0) /
           12;
  };
  CHECK(inertia(MassModel::mid_arc) == Approx(1. / 64).epsilon(1e-12));
  CHECK(inertia(MassModel::chord_point) == Approx(1. / 16).epsilon(1e-12));
  CHECK(inertia(MassModel::distributed) == Approx(1. / 20).epsilon(1e-12));
}

TEST_CASE("masses in the middle of the arcs make the mass matrix of the hanging arm nearly singular, others do not") {
  const auto condition = [](MassModel model) {
    ArmDescription description = table1_arm();
    description.mass_model = model;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(FluidicArm(description).mass_matrix(Vector::Zero(4)));
    return eigen.eigenvalues()[0] / eigen.eigenvalues()[3];
  };
  CHECK(condition(MassModel::mid_arc) < 1e-6);
  CHECK(condition(MassModel::distributed) > 1e-4);
  CHECK(condition(MassModel::chord_point) > 1e-5);
}

TEST_CASE(
    "whatever the damping, Runge-Kutta steps are within 1e-5 m of steps of 0.1 ms, those of 4.2 ms 1 mm, or not ok") {
  int ok = 0, refused = 0;
  for (const double damping : {1e-3, 4.2e-3, 0.007, 0.01, 0.03, 0.1}) {
    ArmDescription description = table1_arm();
    for (Segment& segment : description.segments) segment.damping = damping;
    const FluidicArm arm(description);
    const quoin::RungeKutta halved(arm, 0.05), fixed(arm, 0.05, 12, none), fine(arm, 0.05, 500, none);
    for (unsigned seed = 100; seed < 104; ++seed) {
      CAPTURE(damping, seed);
      std::mt19937 generator(seed);
      Vector x = Vector::Zero(8);
      x.head(4) = random_vector(generator, 4, 0.8);
      Vector of_fixed = x, truth = x, next;
      StepStatus status = StepStatus::ok;
      const auto distance = [&](const Vector& a) { return (arm.tip(a.head(4)) - arm.tip(truth.head(4))).norm(); };
      for (int i = 0; i < 10; ++i) {
        const Vector torques = random_vector(generator, 3, 0.05);
        REQUIRE(fine.step(truth, torques, next) == StepStatus::ok);
        truth.swap(next);
        REQUIRE(halved.step(x, torques, next) == StepStatus::ok);
        x.swap(next);
        CHECK(distance(x) < 1e-5);
        if (status == StepStatus::ok) status = fixed.step(of_fixed, torques, next);
        of_fixed.swap(next);
        if (status == StepStatus::ok) CHECK(distance(of_fixed) < 1e-3);
      }
      ++(status == StepStatus::ok ? ok : refused);
    }
  }
  CHECK(ok >= 4);
  CHECK(refused >= 8);
}
