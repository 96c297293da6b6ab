// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/potentials.hpp"

#include "quoin/map/derivative_check.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"

#include <catch2/catch.hpp>

namespace stroke = studies::stroke;

namespace {

const quoin::Point<3> bent{0.4, -0.7, 0.2};

}  // namespace

TEST_CASE("the potentials of Eq. 10 are P x 6, and their Jacobian leaves a remainder of second order") {
  const quoin::swimmer::SwimmerFlow flow(quoin::swimmer::ellipsoid_chain({.mesh = 2}));
  const stroke::Potentials potentials(flow);
  CHECK(potentials.output_size() == 168 * 6);
  Eigen::VectorXd y;
  potentials.evaluate(bent, y);
  CHECK(y == flow.potentials(bent, quoin::swimmer::Motion::planar).reshaped());
  const auto check =
      quoin::check_derivatives<3>(potentials, bent, {.largest_step = 0.05, .halvings = 6, .directions = 2});
  INFO(check.message);
  CHECK(check.passed);
  CHECK(check.slope < 2.3);
}

TEST_CASE("the mass from the potentials' fluxes, at query time, is that from the added mass") {
  const quoin::swimmer::Swimmer fish = quoin::swimmer::ellipsoid_chain({.mesh = 2});
  const quoin::swimmer::SwimmerFlow flow(fish);
  const auto planar = quoin::swimmer::Motion::planar;
  const quoin::swimmer::AddedMass<3> water(flow, planar);
  const quoin::swimmer::GeneralizedMass<3, quoin::swimmer::AddedMass<3>> expected(fish, planar, water);
  const stroke::Fluxes fluxes(flow);
  const stroke::MassFromFluxes mass(fish, stroke::SweptFluxes(fluxes, stroke::Potentials(flow)));
  REQUIRE(mass.output_size() == expected.output_size());
  Eigen::VectorXd M, M_expected, M_alone;
  Eigen::MatrixXd dM, dM_expected;
  mass.evaluate(bent, M, dM);
  mass.evaluate(bent, M_alone);
  expected.evaluate(bent, M_expected, dM_expected);
  CHECK((M - M_expected).norm() < 1e-11 * M_expected.norm());
  CHECK((M_alone - M_expected).norm() < 1e-11 * M_expected.norm());
  CHECK((dM - dM_expected).norm() < 1e-10 * dM_expected.norm());
}

TEST_CASE("the fluxes of potentials by the functional's matrix are those of a sweep") {
  const quoin::swimmer::SwimmerFlow flow(quoin::swimmer::ellipsoid_chain({.mesh = 2}));
  const stroke::Fluxes fluxes(flow);
  Eigen::VectorXd F, swept(stroke::Fluxes::size);
  stroke::Potentials(flow).evaluate(bent, F);
  fluxes(F, swept);
  CHECK((fluxes.functional() * F - swept).norm() < 1e-13 * swept.norm());
  CHECK(swept.norm() > 0);
}
