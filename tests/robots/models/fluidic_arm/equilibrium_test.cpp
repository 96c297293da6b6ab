// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

/// The sag of the end of a horizontally clamped arm of 1 m under its weight, q = w L^3 / EI.
double sag(int segments, MassModel model = MassModel::distributed, double load = 5) {
  const FluidicArm arm(horizontal_beam(segments, load, model));
  const Equilibrium rest = find_equilibrium(arm, Vector::Zero(arm.control_size()), Vector::Zero(segments));
  REQUIRE(rest.converged);
  return -arm.tip(rest.q).y();
}

}  // namespace

TEST_CASE("a horizontal clamp sags under its own weight as the elastica does, second order in the number of segments") {
  // w L^3 / EI = 5: elastica 0.495905 (computed); constant curvature with distributed weight 0.363065 and 0.487502 for
  // one and four segments, with weights at mid-arc 0.295893 and 0.484415.
  CHECK(sag(1) == Approx(0.363065).margin(1e-6));
  CHECK(sag(4) == Approx(0.487502).margin(1e-6));
  CHECK(sag(1, MassModel::mid_arc) == Approx(0.295893).margin(1e-6));
  CHECK(sag(4, MassModel::mid_arc) == Approx(0.484415).margin(1e-6));
  for (int n = 4; n <= 16; n *= 2) {
    const double order = std::log2((0.495905 - sag(n)) / (0.495905 - sag(2 * n)));
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  }
}

TEST_CASE("a beam with a dead load at its tip converges to the elastica, second order") {
  // P L^2 / EI = 1: w / L 0.301721, u / L 0.056433 (computed; Bisshopp, Drucker 1945).
  const auto error = [](int segments) {
    ArmDescription description = horizontal_beam(segments, 0);
    const FluidicArm arm(description);
    Vector q = Vector::Zero(segments), forces;
    Matrix stiffness;
    for (int i = 0; i < 20; ++i) {
      Eigen::Vector2d p;
      Eigen::Matrix2Xd J;
      arm.point(q, segments - 1, 1, p, J);
      arm.static_forces(q, forces, stiffness);
      const Vector missing = forces - J.transpose() * Eigen::Vector2d(0, -1);
      // The load's own curvature, by differences.
      const double h = 1e-6;
      for (int k = 0; k < segments; ++k) {
        Eigen::Matrix2Xd ahead, behind;
        arm.point(q + h * Vector::Unit(segments, k), segments - 1, 1, p, ahead);
        arm.point(q - h * Vector::Unit(segments, k), segments - 1, 1, p, behind);
        stiffness.col(k) += (ahead - behind).transpose() * Eigen::Vector2d(0, 1) / (2 * h);
      }
      q -= stiffness.partialPivLu().solve(missing);
    }
    const Eigen::Vector2d tip = arm.tip(q);
    CHECK(tip.x() == Approx(1 - 0.056433).margin(0.2 / (segments * segments)));
    return -tip.y() - 0.301721;
  };
  for (int n = 2; n <= 8; n *= 2) {
    const double order = std::log2(error(n) / error(2 * n));
    CHECK(order > 1.85);
    CHECK(order < 2.15);
  }
}

TEST_CASE("an equilibrium is where all forces balance, and a minimum of the energy") {
  const FluidicArm arm(table1_arm());
  std::mt19937 generator(4);
  for (int trial = 0; trial < 20; ++trial) {
    const Vector torques = random_vector(generator, 3, 0.15), guess = random_vector(generator, 4, 1.5);
    const Equilibrium rest = find_equilibrium(arm, torques, guess);
    REQUIRE(rest.converged);
    Vector forces;
    Matrix stiffness;
    arm.static_forces(rest.q, forces, stiffness);
    CHECK((forces - arm.actuation() * torques).norm() < 1e-9);
    CHECK(stiffness.ldlt().isPositive());
  }
  CHECK_THROWS_WITH(find_equilibrium(arm, Vector::Zero(4), Vector::Zero(4)), Catch::Contains("4 torques"));
}

TEST_CASE("an arm that balances upright on its base is not at rest there") {
  // Upright, a beam falls from w L^3 / EI = 7.84 on; drawn ones of a few segments do from 9.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int draw = 0; draw < 600; ++draw) {
    const int segments = 2 + draw % 4;
    ArmDescription description = horizontal_beam(segments, 10 + 20 * uniform(random));
    description.base_angle = std::acos(-1.);
    const FluidicArm arm(description);
    const Vector upright = Vector::Zero(segments), torques = Vector::Zero(arm.control_size());
    Vector guess = upright;
    if (draw % 3 == 1) guess = random_vector(random, segments, 1e-9);
    if (draw % 3 == 2) guess = random_vector(random, segments, 0.1);
    const Equilibrium rest = find_equilibrium(arm, torques, guess);
    CAPTURE(draw, rest.residual, rest.iterations);
    CHECK(rest.converged);
    Vector forces;
    Matrix stiffness;
    arm.static_forces(rest.q, forces, stiffness);
    CHECK(Eigen::LLT<Matrix>(stiffness).info() == Eigen::Success);
    CHECK(arm.potential_energy(rest.q) < arm.potential_energy(upright));
    CHECK_FALSE(find_equilibrium(arm, torques, upright, {.max_iterations = 0}).converged);
  }
}

TEST_CASE("options and arguments of find_equilibrium that mean nothing are refused with their name") {
  const FluidicArm arm(horizontal_beam(3, 5));
  const Vector torques = Vector::Zero(arm.control_size()), guess = Vector::Zero(3);
  using Options = EquilibriumOptions;
  quoin::test::RefusedOptions("find_equilibrium", Options{},
                              [&](const Options& o) { find_equilibrium(arm, torques, guess, o); })
      .not_negative("tolerance", &Options::tolerance)
      .not_negative("max_iterations", &Options::max_iterations);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (int i = 0; i < 3; ++i)
      CHECK_THROWS_WITH(find_equilibrium(arm, torques, guess + bad * Vector::Unit(3, i)), Catch::Contains("finite"));
}
