// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arc_moments.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <complex>

using namespace quoin::fluidic_arm;
using namespace quoin::fluidic_arm::test;

namespace {

/// Eqs. 1, 2 as printed, z along the arm, segment by segment: R_z(gamma) T_z(L_P) R_y(kappa s / 2)
/// T_z(d) R_y(kappa s / 2).
Eigen::Vector3d printed_point(const ArmDescription& arm, const Vector& q, int segment, double fraction) {
  using Eigen::AngleAxisd, Eigen::Translation3d, Eigen::Vector3d;
  Eigen::Isometry3d at(AngleAxisd(arm.base_rotation, Vector3d::UnitZ()));
  at = at * AngleAxisd(-arm.base_angle, -Vector3d::UnitY());
  for (int n = 0; n <= segment; ++n) {
    const Segment& one = arm.segments[static_cast<std::size_t>(n)];
    const double s = (n < segment ? 1 : fraction) * one.length, curvature = q[n] / one.length;
    const double half = curvature * s / 2, chord = half == 0 ? s : s * std::sin(half) / half;
    const AngleAxisd turn(half, Vector3d::UnitY());
    at = at * Translation3d(0, 0, one.dead_length) * turn * Translation3d(0, 0, chord) * turn;
  }
  return {at.translation().x(), at.translation().y(), -at.translation().z()};  // the arm hangs
}

}  // namespace

TEST_CASE("arc moments are their integrals, on both sides of where the series ends") {
  for (const double angle : {0., 1e-9, -1e-3, 0.3, -1.4999, 1.4999, 1.5001, -2.5, 6.0, 12.0}) {
    std::complex<double> sums[4] = {};
    const int panels = 4000;
    for (int i = 0; i < panels; ++i) {
      // Gauss, two points a panel
      for (const double at : {0.21132486540518712, 0.7886751345948129}) {
        const double s = (i + at) / panels;
        for (int j = 0; j < 4; ++j) sums[j] += std::polar(std::pow(s, j), s * angle) * (0.5 / panels);
      }
    }
    const ArcMoments moments = arc_moments(angle);
    CAPTURE(angle);
    CHECK(std::abs(moments.f0 - sums[0]) < 1e-12);
    CHECK(std::abs(moments.f1 - sums[1]) < 1e-12);
    CHECK(std::abs(moments.f2 - sums[2]) < 1e-12);
    CHECK(std::abs(moments.f3 - sums[3]) < 1e-12);
  }
}

TEST_CASE("points are those of the printed transformations, with dead lengths and a turned base") {
  const FluidicArm arm(crooked_arm());
  std::mt19937 generator(3);
  for (int trial = 0; trial < 50; ++trial) {
    Vector q = random_vector(generator, 3, 2.5);
    if (trial % 5 == 0) q[trial % 3] = 0;
    for (int segment = 0; segment < 3; ++segment)
      for (const double fraction : {0., 0.37, 1.})
        CHECK((arm.in_space(arm.point(q, segment, fraction)) - printed_point(arm.description(), q, segment, fraction))
                  .norm() < 1e-14);
  }
}

TEST_CASE("an arm bent by a moment is the arc of the cable beam") {
  // A straight cable at offset d under tension T: stretch 1 - T / EA, curvature T d / EI. L = 0.2, EA = 100, EI = 0.01,
  // d = 0.01 (exact).
  for (const auto& [tension, x, z] : {std::tuple{1., 0.019734, 0.196683}, std::tuple{5., 0.087343, 0.159879}}) {
    const double length = 0.2 * (1 - tension / 100), angle = tension * 0.01 / 0.01 * 0.2;
    for (const int n : {1, 4}) {
      ArmDescription beam;
      beam.segments.assign(static_cast<std::size_t>(n), {.length = length / n});
      // The cable's moment bends the uncompressed length of 0.2 m: the angle is kappa times that length.
      const Eigen::Vector2d tip = FluidicArm(beam).tip(Vector::Constant(n, angle / n));
      CHECK(tip.x() == Approx(x).margin(1e-6));
      CHECK(-tip.y() == Approx(z).margin(1e-6));
    }
  }
}

TEST_CASE("Jacobians of points, of ends and of velocities leave Taylor remainders of second order") {
  const FluidicArm arm(crooked_arm());
  std::mt19937 generator(5);
  for (int trial = 0; trial < 5; ++trial) {
    const Vector q = trial == 0 ? Vector::Zero(3) : random_vector(generator, 3, 2), v = random_vector(generator, 3, 3);
    const Vector dq = random_vector(generator, 3, 1);
    Eigen::Vector2d p, velocity, ahead;
    Eigen::Matrix2Xd J, dvelocity, ignored, ends, ends_ahead;
    Matrix ends_jacobian;
    arm.point(q, 2, 0.6, p, J);
    arm.point_velocity(q, v, 2, 0.6, velocity, dvelocity);
    arm.end_points(q, ends, ends_jacobian);
    CHECK((velocity - J * v).norm() < 1e-14);
    double last[3] = {};
    for (double h = 1e-1; h > 1e-4; h /= 10) {
      arm.point_velocity(q + h * dq, v, 2, 0.6, ahead, ignored);
      arm.end_points(q + h * dq, ends_ahead);
      const double now[3] = {(arm.point(q + h * dq, 2, 0.6) - p - h * J * dq).norm(),
                             (ahead - velocity - h * dvelocity * dq).norm(),
                             (ends_ahead - ends - h * (ends_jacobian * dq).reshaped(2, 3)).norm()};
      for (int i = 0; i < 3; ++i) {
        if (last[i] > 0) CHECK(std::log10(last[i] / now[i]) == Approx(2).margin(0.15));
        last[i] = now[i];
      }
    }
  }
}

TEST_CASE("a shape runs from the base through the ends of the segments") {
  const FluidicArm arm(crooked_arm());
  const Vector q = Eigen::Vector3d(0.5, -1, 0.8);
  const Eigen::Matrix2Xd line = arm.shape(q, 10);
  Eigen::Matrix2Xd ends;
  arm.end_points(q, ends);
  REQUIRE(line.cols() == 34);
  CHECK(line.col(0).norm() == 0);
  for (int n = 0; n < 3; ++n) CHECK((line.col(11 * (n + 1)) - ends.col(n)).norm() < 1e-15);
  CHECK((arm.tip(q) - ends.col(2)).norm() < 1e-15);
  const double walked = (line.rightCols(33) - line.leftCols(33)).colwise().norm().sum();
  CHECK(walked == Approx(arm.length()).epsilon(1e-3));
}

TEST_CASE("an arm refuses what cannot be, with the number in it") {
  CHECK_THROWS_WITH(FluidicArm(ArmDescription{}), Catch::Contains("no segments"));
  CHECK_THROWS_WITH(FluidicArm({.segments = {{.length = -0.1}}}), Catch::Contains("-0.1"));
  CHECK_THROWS_WITH(FluidicArm({.segments = {{.length = 0.1, .mass = -2}}}), Catch::Contains("mass of -2"));
  CHECK_THROWS_WITH(FluidicArm({.segments = {{.length = 0.1}}, .passive_segments = 2}), Catch::Contains("2 passive"));
  const FluidicArm arm(crooked_arm());
  CHECK_THROWS_WITH(arm.tip(Vector::Zero(4)), Catch::Contains("4 bend angles for 3 segments"));
  CHECK_THROWS_WITH(arm.point(Vector::Zero(3), 1, 1.5), Catch::Contains("fraction 1.5"));
}
