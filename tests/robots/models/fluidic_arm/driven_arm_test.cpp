// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/driven_arm.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"
#include "testing/falling_remainders.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

TEST_CASE("arm and cylinders as one move as the simulated system does without a delay") {
  FluidicSystem system = table1_system();
  system.delay = 0;
  const DrivenArm driven(system);
  const RungeKutta step(driven, 0.02, 20);
  const Matrix inputs = Matrix::NullaryExpr(
      3, 21, [](Eigen::Index i, Eigen::Index j) { return 40 * std::sin(0.2 * static_cast<double>(j * (i + 1))); });
  Vector x = Vector::Zero(driven.state_size());
  for (int i = 0; i < 20; ++i) REQUIRE(step.step(Vector(x), inputs.col(i), x) == StepStatus::ok);
  const ArmResponse response = simulate(system, Vector::Zero(4), inputs, 0.02, {.step = 1e-3});
  CHECK((x.head(8) - response.states.col(20)).norm() < 1e-6);
  CHECK((driven.torques(x) - response.torques.col(20)).norm() < 1e-9);
}

TEST_CASE("derivatives of arm and cylinders leave Taylor remainders of second order") {
  const DrivenArm driven(table1_system());
  std::mt19937 generator(6);
  Vector x = random_vector(generator, 14, 0.5), dx = random_vector(generator, 14, 1), rate, ahead;
  x.tail(6) *= 50;
  const Vector u = random_vector(generator, 3, 40), du = random_vector(generator, 3, 1);
  Matrix A, B;
  REQUIRE(driven.rate(x, u, rate, A, B) == StepStatus::ok);
  quoin::test::FallingRemainders remainders{.ratio = 10, .min_order = 1.8, .largest_order = 2.2};
  for (double h = 1e-2; h > 1e-5; h /= 10) {
    REQUIRE(driven.rate(x + h * dx, u + h * du, ahead) == StepStatus::ok);
    remainders.add((ahead - rate - h * (A * dx + B * du)).norm());
  }
  CHECK_THROWS_WITH(driven.rate(Vector::Zero(8), u, rate), Catch::Contains("a state of 8"));
}
