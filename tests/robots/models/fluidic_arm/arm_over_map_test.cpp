// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arm_over_map.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

using ExactArm = ArmOverMap<3, MassGravityMap<3>>;
using GridArm = ArmOverMap<3, GridView<3>>;

ArmDescription rough_arm() {
  ArmDescription arm = crooked_arm();
  arm.segments[1].friction = 2e-3;
  return arm;
}

AdaptiveGrid<3> grid_over(const ArmDescription& arm, double spacing, double reach = 1e9) {
  GridOptions<3> options{.origin = Point<3>::Constant(0.05), .spacing = Point<3>::Constant(spacing)};
  if (reach < 1e9) {
    options.lower = options.origin.array() - reach;
    options.upper = options.origin.array() + reach;
  }
  return AdaptiveGrid<3>(MassGravityMap<3>(FluidicArm(arm)), options);
}

}  // namespace

TEST_CASE("an arm over the exact map moves as the arm does, with its derivatives") {
  const FluidicArm arm(rough_arm());
  const ExactArm over(MassGravityMap<3>(arm), rough_arm());
  std::mt19937 generator(21);
  Vector expected, rate;
  Matrix A, B, df_dx, df_du;
  for (int trial = 0; trial < 20; ++trial) {
    Vector x(6);
    x << random_vector(generator, 3, 2), random_vector(generator, 3, 3);
    const Vector u = random_vector(generator, 2, 0.1);
    REQUIRE(arm.rate(x, u, expected, A, B) == StepStatus::ok);
    REQUIRE(over.rate(x, u, rate) == StepStatus::ok);
    CHECK((rate - expected).norm() < 1e-12 * expected.norm());
    REQUIRE(over.rate(x, u, rate, df_dx, df_du) == StepStatus::ok);
    CHECK((rate - expected).norm() < 1e-12 * expected.norm());
    CHECK((df_dx - A).norm() < 1e-8 * A.norm());
    CHECK((df_du - B).norm() < 1e-11 * B.norm());
  }
}

TEST_CASE("an arm over a grid moves as the arm does to third order in the spacing") {
  // C v needs dM/dq, which a cubic interpolant gives to third order.
  const FluidicArm arm(rough_arm());
  const AdaptiveGrid<3> grid = grid_over(rough_arm(), 0.6);
  const auto error = [&](int level) {
    const GridArm over(grid.at_level(level), rough_arm());
    std::mt19937 generator(22);
    Vector expected, rate;
    double worst = 0;
    for (int trial = 0; trial < 300; ++trial) {
      Vector x(6);
      x << random_vector(generator, 3, 1.5), random_vector(generator, 3, 5);
      const Vector u = random_vector(generator, 2, 0.1);
      arm.rate(x, u, expected);
      REQUIRE(over.rate(x, u, rate) == StepStatus::ok);
      worst = std::max(worst, (rate - expected).norm());
    }
    return worst;
  };
  const double order = std::log2(error(0) / error(4)) / 4;
  CHECK(order > 2.8);
  CHECK(order < 3.5);
}

TEST_CASE("derivatives of an arm over a grid leave a remainder of second order inside a cell") {
  const AdaptiveGrid<3> grid = grid_over(rough_arm(), 0.5);
  const GridArm arm(grid.at_level(0), rough_arm());
  std::mt19937 generator(23);
  for (int trial = 0; trial < 5; ++trial) {
    Vector x(6), rate, ahead;
    Matrix df_dx, df_du;
    x << Vector::Constant(3, 0.3) + random_vector(generator, 3, 0.1), random_vector(generator, 3, 0.2);
    const Vector u = random_vector(generator, 2, 0.1), along = random_vector(generator, 6, 1),
                 pull = random_vector(generator, 2, 1);
    REQUIRE(arm.rate(x, u, rate, df_dx, df_du) == StepStatus::ok);
    const auto remainder = [&](double h) {
      arm.rate(x + h * along, u + h * pull, ahead);
      return (ahead - rate - h * (df_dx * along + df_du * pull)).norm();
    };
    const double slope = std::log2(remainder(4e-3) / remainder(2.5e-4)) / 4;
    CHECK(slope > 1.8);
    CHECK(slope < 2.3);
  }
}

TEST_CASE("an arm over a grid says where its domain ends, and differentiates up to there") {
  const AdaptiveGrid<3> grid = grid_over(rough_arm(), 0.5, 1);
  const GridArm arm(grid.at_level(0), rough_arm());
  Vector x = Vector::Zero(6), rate;
  Matrix df_dx, df_du, inside, df_du_inside;
  x[0] = 1.06;
  CHECK(arm.rate(x, Vector::Zero(2), rate) == StepStatus::outside_domain);
  x << 1.05, 0.3, 0.2, 1, 2, -1;
  REQUIRE(arm.rate(x, Vector::Zero(2), rate, df_dx, df_du) == StepStatus::ok);
  x[0] -= 1e-3;
  REQUIRE(arm.rate(x, Vector::Zero(2), rate, inside, df_du_inside) == StepStatus::ok);
  CHECK((df_dx - inside).norm() < 1e-2 * inside.norm());
}

TEST_CASE("an arm over a map refuses sizes that do not fit, with the numbers") {
  const MassGravityMap<3> map{FluidicArm(crooked_arm())};
  CHECK_THROWS_WITH(ExactArm(map, table1_arm()), Catch::Contains("4 segments"));
  const ExactArm arm(map, crooked_arm());
  Vector rate;
  CHECK_THROWS_WITH(arm.rate(Vector::Zero(5), Vector::Zero(2), rate), Catch::Contains("5 numbers"));
}

TEST_CASE("an arm over a grid passes on where its rates will be asked, one over an exact map has nobody to tell") {
  static_assert(Hintable<GridArm> && !Hintable<ExactArm>);
  const GridOptions<3> options{.spacing = Point<3>::Constant(0.3), .evaluate_ahead = true};
  const AdaptiveGrid<3> grid(MassGravityMap<3>(FluidicArm(rough_arm())), options, Threads{2});
  const GridArm arm(grid.at_level(0), rough_arm());
  std::mt19937 generator(4);
  const Matrix states = Matrix::NullaryExpr(6, 10, [&] { return random_vector(generator, 1, 2)[0]; });
  arm.hint(states);
  CHECK(grid.statistics().batches == 1);
  const std::size_t evaluations = grid.statistics().exact_evaluations;
  Vector rate;
  for (const auto x : states.colwise()) CHECK(arm.rate(x, Vector::Zero(2), rate) == StepStatus::ok);
  CHECK(grid.statistics().exact_evaluations == evaluations);
  CHECK(grid.statistics().unused_corners == 0);
}
