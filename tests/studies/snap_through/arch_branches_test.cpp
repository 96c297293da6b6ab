// SPDX-License-Identifier: BSD-3-Clause
// The arch on its two branches.
#include "examples/studies/snap_through/snap_plan.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace studies;
using namespace studies::branches;

namespace {

Setup setup() {
  const Arch arch;
  Setup setup{.key = "arch",
              .branches = {Branch{1, "up"}, Branch{-1, "down"}},
              .lower = {-8, -4},
              .upper = {16, 4},
              .spacing = {2, 2},
              .level = 1,
              .jump_axis = 0,
              .line_at = 1.3,
              .line_points = 61};
  setup.observable = Eigen::RowVectorXd::Zero(arch.output_size());
  setup.observable[arch.options().segments + 1] = 1;
  return setup;
}

}  // namespace

TEST_CASE("an arch on its branches snaps at the loads at which the arch itself does, up and back") {
  const ArchBranches branches(Arch(), setup());
  const Loop loop = follow_loop(branches, 0.25);
  CHECK(loop.rising.snap == Approx(loop.rising.exact_snap).margin(1e-4));
  CHECK(loop.falling.snap == Approx(loop.falling.exact_snap).margin(1e-4));
  CHECK(loop.rising.exact_snap == Approx(13.6958).margin(1e-3));
  CHECK(loop.falling.exact_snap == Approx(-6.5176).margin(1e-3));
  for (const LoopSide* side : {&loop.rising, &loop.falling}) {
    CHECK(side->worst < 5e-4);
    CHECK(side->worst_near_fold < 5e-4);
  }
}

TEST_CASE("a plan across the arch's snap holds on the arch itself: it snaps twice, meets its target and comes back") {
  const ArchBranches branches(Arch(), setup());
  const SnapTask task;
  const SnapPlan plan = plan_snaps(branches, task);
  REQUIRE(plan.found);
  CHECK(plan.nearest_on_upper > 0.1);
  CHECK(plan.moves < 0.9 * plan.first_moves);
  const Replay replayed = replay(branches, task, plan);
  CHECK(replayed.miss < 1e-5);
  CHECK(replayed.returned_to < 1e-9);
  for (std::size_t i = 0; i < 2; ++i) {
    const double planned = (plan.knots[2 * i + 1] - plan.knots[2 * i]).norm() - task.overshoot;
    CHECK(replayed.exact_snaps[i] == Approx(planned).margin(1e-3));
    CHECK(replayed.ridden_snaps[i] == Approx(planned).margin(1e-3));
  }
}
