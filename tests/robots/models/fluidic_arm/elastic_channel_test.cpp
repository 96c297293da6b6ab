// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/elastic_channel.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"
#include "testing/falling_remainders.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin;
using namespace quoin::fluidic_arm;

namespace {

// Of a size that fits into a segment of 13 cm by 4 cm, of silicone rubber; the paper gives no dimensions.
ChannelGeometry plausible() {
  return {.thickness = 4e-3, .diameter = 18e-3, .length = 0.13, .modulus = 1.5e5, .viscosity = 5.9e3};
}

/// The torque, N m, that holds a hanging segment of this channel, its mass where Eq. 31 puts it.
double holding_torque(const ElasticChannel& channel, double mass, double bend) {
  const FluidicArm arm(
      {.segments = {channel.segment(mass)}, .mass_model = MassModel::chord_point, .passive_segments = 0});
  Eigen::VectorXd forces;
  Eigen::MatrixXd jacobian;
  arm.static_forces(Eigen::VectorXd::Constant(1, bend), forces, jacobian);
  return forces[0];
}

}  // namespace

TEST_CASE("a channel's wall is the tube between its inner and outer circle") {
  const double inner = 9e-3, outer = 13e-3;
  CHECK(ElasticChannel(plausible()).wall_volume() ==
        Approx(std::acos(-1.) * (outer * outer - inner * inner) * 0.13).epsilon(1e-12));
}

TEST_CASE("the strain of slices tends to the linear one with the square of their number") {
  const ElasticChannel channel(plausible());
  quoin::test::FallingRemainders remainders{.ratio = 2, .min_order = 1.95, .largest_order = 2.05};
  for (int slices = 2; slices <= 64; slices *= 2)
    remainders.add(std::abs(channel.strain(1.5, slices) - channel.strain(1.5)));
  CHECK(channel.strain(-1.5, 5) == -channel.strain(1.5, 5));
  // One slice is the law of cosines, as Eq. 6 prints it.
  CHECK(channel.strain(1.5, 1) == Approx(18e-3 / 0.13 * std::sqrt(2 - 2 * std::cos(1.5))).epsilon(1e-12));
}

TEST_CASE("a channel's stiffness is the curvature of its strain energy, its damping what a strain's rate loses") {
  const ElasticChannel channel(plausible());
  const double h = 1e-3;
  CHECK((channel.strain_energy(0.7 + h) - 2 * channel.strain_energy(0.7) + channel.strain_energy(0.7 - h)) / (h * h) ==
        Approx(channel.stiffness()).epsilon(1e-6));
  CHECK(channel.strain_energy(0.7) ==
        Approx(0.5 * channel.wall_volume() * 1.5e5 * std::pow(channel.strain(0.7), 2)).epsilon(1e-12));
  const double strain_rate = channel.strain(2.);  // at 2 rad/s
  CHECK(channel.damping() * 2 * 2 == Approx(channel.wall_volume() * 5.9e3 * strain_rate * strain_rate).epsilon(1e-12));
}

TEST_CASE("plausible channels have Table 1's stiffness and damping, and with the width of a slice 100 times as much") {
  ChannelGeometry geometry = plausible();
  const Segment segment = ElasticChannel(geometry).segment(0.19);
  CHECK(segment.length == 0.13);
  CHECK(segment.mass == 0.19);
  CHECK(segment.stiffness > 0.108 / 2);
  CHECK(segment.stiffness < 0.108 * 2);
  CHECK(segment.damping > 4.2e-3 / 2);
  CHECK(segment.damping < 4.2e-3 * 2);
  geometry.width = 0.013;  // of ten slices: Eq. 7 as printed
  CHECK(ElasticChannel(geometry).stiffness() == Approx(100 * segment.stiffness).epsilon(1e-12));
}

TEST_CASE("stiffness falls with the length as a beam's, and grows with it where the width is a slice's") {
  ChannelGeometry shorter = plausible(), longer = plausible();
  longer.length = 2 * shorter.length;
  CHECK(ElasticChannel(longer).stiffness() == Approx(ElasticChannel(shorter).stiffness() / 2).epsilon(1e-12));
  shorter.width = longer.width = 0.01;
  CHECK(ElasticChannel(longer).stiffness() == Approx(2 * ElasticChannel(shorter).stiffness()).epsilon(1e-12));
}

TEST_CASE("volume and pressure of a channel do the work of bend and torque, and have inverses") {
  const ElasticChannel channel(plausible());
  CHECK(channel.bend(channel.volume(-0.8)) == Approx(-0.8).epsilon(1e-12));
  CHECK(channel.torque(channel.pressure(0.1)) == Approx(0.1).epsilon(1e-12));
  CHECK(channel.pressure(0.1) * 1e-6 * channel.volume(0.3) == Approx(0.1 * 0.3).epsilon(1e-12));
  // Eq. 11's first form: half of the circle's area, times the length that the strain adds.
  CHECK(channel.volume(0.3) ==
        Approx(1e6 * std::acos(-1.) * 18e-3 * 18e-3 / 8 * 0.13 * channel.strain(0.3)).epsilon(1e-12));
}

TEST_CASE("Eq. 12 is a hanging segment's statics for small volumes, with 5/8 of their cubic part of gravity") {
  const ElasticChannel channel(plausible());
  const double mass = 0.19;
  const StaticTorque torque = channel.static_torque(mass, 9.81);
  // Coefficients as printed
  const double pi = std::acos(-1.), h = 18e-3, L = 0.13, w = 0.13, a = 1. / 24;
  CHECK(torque.cubic ==
        Approx(-1e-18 * 128 * a * 9.81 * mass * w * w * w / (L * L * std::pow(pi, 3) * std::pow(h, 9))).epsilon(1e-12));
  CHECK(torque.linear == Approx(1e-6 * (8 * channel.stiffness() * w / (pi * h * h * h * L) +
                                        (1 + 8 * a) * 9.81 * mass * w / (pi * h * h * h)))
                             .epsilon(1e-12));
  // The error left falls with the cube: the linear term is exact.
  quoin::test::FallingRemainders remainders{.ratio = 2, .min_order = 2.9, .largest_order = 3.1};
  for (double bend = 0.5; bend > 0.02; bend /= 2)
    remainders.add(std::abs(holding_torque(channel, mass, bend) - torque.torque(channel.volume(bend))));
  const double bend = 0.1, volume = channel.volume(bend);
  CHECK(torque.cubic * volume * volume * volume /
            (holding_torque(channel, mass, bend) - torque.linear * channel.volume(bend)) ==
        Approx(5. / 8).epsilon(2e-3));
}

TEST_CASE("a channel refuses what is not a tube of rubber, with numbers") {
  const auto with = [](auto change) {
    ChannelGeometry geometry = plausible();
    change(geometry);
    return geometry;
  };
  CHECK_THROWS_WITH(ElasticChannel(with([](auto& g) { g.thickness = 0; })), Catch::Contains("a thickness of 0 m"));
  CHECK_THROWS_WITH(ElasticChannel(with([](auto& g) { g.modulus = -1; })), Catch::Contains("a modulus of -1 Pa"));
  CHECK_THROWS_WITH(ElasticChannel(with([](auto& g) { g.width = -0.01; })), Catch::Contains("a width of -0.01 m"));
  CHECK_THROWS_AS(ElasticChannel(with([](auto& g) { g.diameter = std::numeric_limits<double>::infinity(); })),
                  std::invalid_argument);
  CHECK_THROWS_AS(ElasticChannel(with([](auto& g) { g.viscosity = std::nan(""); })), std::invalid_argument);
  const ElasticChannel channel(plausible());
  CHECK_THROWS_WITH(channel.strain(1, 0), Catch::Contains("0 slices"));
  CHECK_THROWS_AS(channel.volume(std::nan("")), std::invalid_argument);
  CHECK_THROWS_WITH(channel.static_torque(-0.1, 9.81), Catch::Contains("a mass of -0.1 kg"));
}
