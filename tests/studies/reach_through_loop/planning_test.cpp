// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/moving_box.hpp"
#include "examples/studies/reach_through_loop/sweep.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace studies::loop {
namespace {

// As the study chooses on other boxes
const Setting loop_by_topology{.mesh = 100, .writhe = 10, .tolerance = 0.1, .damping = 1};
const Setting loop_by_margins{.margins = 1e4, .margin = 0.03, .tolerance = 1e-2, .damping = 1};

int reached(const std::vector<Trial>& trials) {
  return static_cast<int>(std::ranges::count_if(trials, [](const Trial& trial) { return trial.verdict.success(); }));
}

}  // namespace

TEST_CASE("Through a narrow mouth writhe and mesh lead the rod where collision avoidance mostly does not") {
  const ReachScene scene;
  const DrawnBoxes narrow = draw_boxes(scene, {.side = 0.16}, 16, 7);
  const int with_topology = reached(try_boxes(scene, narrow.boxes, Side::topology, loop_by_topology, 1));
  CHECK(with_topology >= 11);
  CHECK(reached(try_boxes(scene, narrow.boxes, Side::collision, loop_by_margins, 1)) <= with_topology - 4);
}

TEST_CASE("The arm stays in a box that moves and turns if it remaps writhe, mesh and tip, and not as planned") {
  const ReachScene scene;
  constexpr int motions = 6;
  const DrawnBoxes wide = draw_boxes(scene, {}, motions, 8);
  std::vector<Plan> plans;
  for (const HollowBox& box : wide.boxes) plans.push_back(plan_reach(scene, box, Side::topology, loop_by_topology));
  const MotionSize size{.amplitude = 0.1, .turn = 0.4};
  CHECK(chase_boxes(scene, wide.boxes, plans, Follower::topology_tip, 3, size, 9, 1).successes >= 4);
  CHECK(chase_boxes(scene, wide.boxes, plans, Follower::none, 0, size, 9, 1).successes <= 2);
}

TEST_CASE("A box sways from rest, no farther and no more turned than asked, and about its mouth") {
  const HollowBox box;
  const MotionSize size{.amplitude = 0.1, .turn = 0.4};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const BoxMotion motion(size, 10, seed);
    double farthest = 0, most_turned = 0;
    for (int i = 0; i <= 1000; ++i) {
      const HollowBox now = motion.of(box, 0.01 * i);
      farthest = std::max(farthest, now.pose.translation().norm());
      most_turned = std::max(most_turned, Eigen::AngleAxisd(now.pose.linear()).angle());
    }
    CHECK(farthest == Approx(size.amplitude).epsilon(1e-9));
    CHECK(most_turned == Approx(size.turn).epsilon(1e-9));
    const double early = 1e-3;
    CHECK(motion.of(box, early).pose.translation().norm() < 1e-2 * size.amplitude * early);
    CHECK(motion.of(box, 0).pose.isApprox(box.pose, 1e-15));
  }
}

}  // namespace studies::loop
