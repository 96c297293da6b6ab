// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/swimmer/prescribed_motion.hpp"

#include "models/swimmer/mechanics_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace quoin;
using namespace quoin::swimmer;

namespace {

constexpr double turn = 2 * std::numbers::pi;

// alpha = amplitude (cos t, sin t), at some speed.
auto circle(double speed = 1, double phase = std::numbers::pi / 2) {
  return [=](double t, Point<2>& q, Point<2>& rates) {
    q << 0.5 * std::cos(speed * t), 0.5 * std::cos(speed * t - phase);
    rates << -0.5 * speed * std::sin(speed * t), -0.5 * speed * std::sin(speed * t - phase);
  };
}

}  // namespace

TEST_CASE("three ellipses in a plane swim as far as Kanso et al. report", "[prescribed_motion]") {
  for (int order = 0; order < 2; ++order) {
    const auto motion = prescribed_motion<2>(test::three_link_mass(), Motion::planar, circle(), {.end = turn, .steps = 800});
    const Eigen::Vector3d p = motion.poses.back().translation();
    std::printf("%.9f %.9f %.3g\n", p.x(), p.y(), motion.poses.back().linear()(1, 0));
  }
}
