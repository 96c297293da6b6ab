// SPDX-License-Identifier: BSD-3-Clause
#include "robots/models/swimmer/prescribed_motion.hpp"

#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "robots/models/swimmer/mechanics_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

constexpr double turn = 2 * std::numbers::pi;

using Chain = GeneralizedMass<3, AddedMass<3>>;
Chain mass_of_coarse_chain() {
  const Swimmer fish = ellipsoid_chain({.mesh = 2});
  return {fish, Motion::planar, AddedMass<3>(fish, Motion::planar)};
}

// A wave that runs down the body for a positive phase: q_j = 0.6 sin(omega t - j phase).
auto wave(double phase, double omega = turn) {
  return [=](double t, Point<3>& q, Point<3>& rates) {
    for (int j = 0; j < 3; ++j) {
      q[j] = 0.6 * std::sin(omega * t - j * phase);
      rates[j] = 0.6 * omega * std::cos(omega * t - j * phase);
    }
  };
}

// Pose after one period in the frame at its beginning, and its rotation.
struct Displacement {
  Eigen::Isometry3d pose;
  Eigen::Vector2d xy;
  double angle;
};
template <int Dim, class Mass, class Stroke>
Displacement displacement(const Mass& mass, const Stroke& stroke, double begin, double end, int steps) {
  const PrescribedMotion motion =
      prescribed_motion<Dim>(mass, Motion::planar, stroke, {.begin = begin, .end = end, .steps = steps});
  REQUIRE(motion.status == StepStatus::ok);
  REQUIRE(motion.poses.size() == static_cast<std::size_t>(steps) + 1);
  const Eigen::Isometry3d pose = motion.poses.back();
  return {pose, pose.translation().head<2>(), std::atan2(pose.linear()(1, 0), pose.linear()(0, 0))};
}

}  // namespace

TEST_CASE("three ellipses in a plane swim as far as the reference says", "[prescribed_motion]") {
  // (-0.332203, 0.044317), net rotation 0: decoupled links, alpha = 0.5 (cos t, sin t), each angle that of a link
  // relative to the one behind it.
  const auto stroke = [](double t, Point<2>& q, Point<2>& rates) {
    q << -0.5 * std::cos(t), 0.5 * std::sin(t);
    rates << 0.5 * std::sin(t), 0.5 * std::cos(t);
  };
  const Displacement moved = displacement<2>(test::three_link_mass(), stroke, 0, turn, 400);
  CHECK(moved.xy.x() == Approx(-0.332203).margin(5e-7));
  CHECK(moved.xy.y() == Approx(0.044317).margin(5e-7));
  CHECK(std::abs(moved.angle) < 1e-9);
}

TEST_CASE("the path of a prescribed stroke is fourth order in the step", "[prescribed_motion]") {
  const auto mass = test::synthetic_mass(test::numbered_chain(), Motion::planar);
  const Eigen::Vector2d fine = displacement<3>(mass, wave(1.2), 0, 1, 1600).xy;
  double before = (displacement<3>(mass, wave(1.2), 0, 1, 25).xy - fine).norm();
  for (int steps : {50, 100, 200}) {
    const double error = (displacement<3>(mass, wave(1.2), 0, 1, steps).xy - fine).norm();
    CAPTURE(steps);
    CHECK(std::log2(before / error) > 3.7);
    CHECK(std::log2(before / error) < 4.4);
    before = error;
  }
}

TEST_CASE("a wave down the body drives the boundary-element swimmer ahead, in a plane and in space alike",
          "[prescribed_motion]") {
  const double quarter = std::numbers::pi / 2;
  const Displacement moved = displacement<3>(mass_of_coarse_chain(), wave(quarter), 0, 1, 40);
  CHECK(moved.xy.x() > 0.03);
  CHECK(std::abs(moved.angle) < 1e-5);

  const Swimmer fish = ellipsoid_chain({.mesh = 2});
  const Chain spatial(fish, Motion::spatial, AddedMass<3>(fish, Motion::spatial));
  const PrescribedMotion same = prescribed_motion<3>(spatial, Motion::spatial, wave(quarter), {.end = 1, .steps = 40});
  REQUIRE(same.status == StepStatus::ok);
  // The two integrate the rotation in different coordinates.
  CHECK((same.poses.back().matrix() - moved.pose.matrix()).norm() < 1e-5);
}

TEST_CASE("played backwards a stroke returns to where it began", "[prescribed_motion]") {
  const Chain mass = mass_of_coarse_chain();
  const Displacement there = displacement<3>(mass, wave(1.2), 0, 1, 60),
                     back = displacement<3>(mass, wave(1.2), 1, 0, 60);
  CHECK(there.xy.norm() > 0.03);
  CHECK(((there.pose * back.pose).matrix() - Eigen::Matrix4d::Identity()).norm() < 1e-6);
  // A wave up the body is the wave down played backwards from another start: from the same shape, the negative.
  const Displacement quarter = displacement<3>(mass, wave(std::numbers::pi / 2), 0, 1, 60),
                     reversed = displacement<3>(mass, wave(std::numbers::pi / 2), 0, -1, 60);
  CHECK((quarter.xy + reversed.xy).norm() < 1e-6);
}

TEST_CASE("the sign of the phase turns the direction round", "[prescribed_motion]") {
  const Chain mass = mass_of_coarse_chain();
  const double quarter = std::numbers::pi / 2;
  const Displacement down = displacement<3>(mass, wave(quarter), 0, 1, 40),
                     up = displacement<3>(mass, wave(-quarter), 0, 1, 40);
  CHECK(down.xy.x() > 0.03);
  CHECK(up.xy.x() == Approx(-down.xy.x()).epsilon(1e-4));
}

TEST_CASE("how fast a stroke is does not matter", "[prescribed_motion]") {
  const Chain mass = mass_of_coarse_chain();
  const Displacement slow = displacement<3>(mass, wave(1.2, turn), 0, 1, 40),
                     fast = displacement<3>(mass, wave(1.2, 10 * turn), 0, 0.1, 40);
  CHECK((slow.pose.matrix() - fast.pose.matrix()).norm() < 1e-12);
}

TEST_CASE("the scallop theorem: a stroke that retraces its shapes goes nowhere", "[prescribed_motion]") {
  const Chain mass = mass_of_coarse_chain();
  for (double phase : {0.0, std::numbers::pi}) {
    const Displacement moved = displacement<3>(mass, wave(phase), 0, 1, 60);
    CHECK((moved.pose.matrix() - Eigen::Matrix4d::Identity()).norm() < 1e-6);
    // It does move in between.
    CHECK(displacement<3>(mass, wave(phase), 0, 0.25, 15).xy.norm() > 0.01);
  }
}

TEST_CASE("a stroke into links that touch ends there with a status", "[prescribed_motion]") {
  const auto curl = [](double t, Point<3>& q, Point<3>& rates) {
    q.setConstant(t);
    rates.setOnes();
  };
  const PrescribedMotion motion =
      prescribed_motion<3>(mass_of_coarse_chain(), Motion::planar, curl, {.end = 3, .steps = 30});
  CHECK(motion.status == StepStatus::map_failed);
  CHECK(motion.poses.size() > 10);
  CHECK(motion.poses.size() < 31);
  CHECK_THROWS_AS(prescribed_motion<3>(mass_of_coarse_chain(), Motion::spatial, curl), std::invalid_argument);
  CHECK_THROWS_AS(prescribed_motion<3>(mass_of_coarse_chain(), Motion::planar, curl, {.steps = 0}),
                  std::invalid_argument);
  CHECK_THROWS_WITH(prescribed_motion<3>(mass_of_coarse_chain(), Motion::planar, curl, {.end = std::nan("")}),
                    Catch::Contains("to nan s"));
}
