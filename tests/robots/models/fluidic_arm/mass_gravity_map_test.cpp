// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/mass_gravity_map.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"
#include "testing/level_errors.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

template <int Dim>
std::vector<Point<Dim>> postures(int count, unsigned seed) {
  return quoin::test::random_points<Dim>(count, Point<Dim>::Constant(-2), Point<Dim>::Constant(2), seed);
}

template <int Dim>
void is_what_the_arm_says(const FluidicArm& arm, unsigned seed) {
  using Map = MassGravityMap<Dim>;
  const Map map(arm);
  Vector y, bare, forces;
  Matrix J, at_rest, pushed, dv, M;
  for (const Point<Dim>& q : postures<Dim>(10, seed)) {
    CHECK(map.evaluate(q, y, J).trust == Trust::exact);
    const Vector rest = Vector::Zero(Dim), G = arm.gravity_forces(q);
    arm.inverse_dynamics(q, rest, rest, forces, at_rest, dv, M);
    const double scale = at_rest.norm();
    for (int j = 0; j < Dim; ++j) {
      // d(M e_j)/dq = dtau/dq (q, 0, e_j) - dtau/dq (q, 0, 0)
      arm.inverse_dynamics(q, rest, Vector::Unit(Dim, j), forces, pushed, dv, M);
      for (int i = j; i < Dim; ++i) {
        CHECK(std::abs(y[Map::mass(i, j)] - M(i, j)) < 1e-14 * M.norm());
        CHECK((J.row(Map::mass(i, j)) - (pushed - at_rest).row(i)).norm() < 1e-13 * scale);
      }
      CHECK(std::abs(y[Map::gravity(j)] - G[j]) < 1e-13);
      Matrix stiffness = Matrix::Zero(Dim, Dim);
      for (int i = 0; i < Dim; ++i) stiffness(i, i) = arm.description().segments[static_cast<std::size_t>(i)].stiffness;
      CHECK((J.row(Map::gravity(j)) - (at_rest - stiffness).row(j)).norm() < 1e-13 * scale);
    }
  }
}

}  // namespace

TEST_CASE(
    "mass matrix and gravity as a map obey the laws of maps, to the bit in every thread, through zero curvature") {
  for (const MassModel model : all_mass_models) {
    auto points = postures<3>(12, 1);
    points.push_back(Point<3>::Zero());
    points.push_back({0, 1e-9, -1.5});
    quoin::test::obeys_the_laws_of_maps<3>(MassGravityMap<3>(FluidicArm(crooked_arm(model))), points);
  }
  quoin::test::obeys_the_laws_of_maps<4>(MassGravityMap<4>(FluidicArm(table1_arm())), postures<4>(12, 2));
}

TEST_CASE("the map is what the arm's dynamics say, with their derivatives, to rounding") {
  for (const MassModel model : all_mass_models) is_what_the_arm_says<3>(FluidicArm(crooked_arm(model)), 3);
  is_what_the_arm_says<4>(FluidicArm(table1_arm()), 4);
  is_what_the_arm_says<1>(FluidicArm(horizontal_beam(1, 5)), 5);
  is_what_the_arm_says<7>(FluidicArm(horizontal_beam(7, 5)), 6);
}

TEST_CASE("on a grid the map is of order 4 in the spacing and its Jacobian of order 3") {
  const MassGravityMap<4> map{FluidicArm(table1_arm())};
  const AdaptiveGrid<4> grid(map, {.origin = Point<4>::Constant(0.137), .spacing = Point<4>::Constant(0.8)});
  const auto errors = quoin::test::level_errors(grid, map, postures<4>(2, 7), {.count = 200, .seed = 8});
  CHECK(errors.value_order() == Approx(4).margin(0.2));
  CHECK(errors.jacobian_order() == Approx(3).margin(0.2));
}

TEST_CASE("an arm of another number of segments is refused with both numbers") {
  CHECK_THROWS_WITH(MassGravityMap<3>(FluidicArm(table1_arm())), "MassGravityMap: the arm has 4 segments instead of 3");
}
