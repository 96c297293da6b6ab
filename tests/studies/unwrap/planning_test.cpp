// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/inference.hpp"
#include "examples/studies/unwrap/verdict.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace studies::unwrap;

// Seeds on which the study's settings were chosen; at others it reports rates.
TEST_CASE("At 2.5 turns hierarchical AICO unwinds and grasps, and without its upper level mostly not", "[unwrap]") {
  constexpr int scenes = 8, ablated = 4;
  InferenceOptions without_level;
  without_level.writhe = 0;
  int whole = 0, without = 0;
  for (int seed = 1; seed <= scenes; ++seed) {
    const Scene scene = make_scene(2.5, static_cast<std::uint64_t>(seed));
    const InferredPlan plan = infer_plan(scene);
    whole += judge(scene, plan.q).success() && plan.checks < 1000;
    if (seed <= ablated) without += judge(scene, infer_plan(scene, without_level).q).success();
  }
  CHECK(whole >= 6);
  CHECK(without <= 2);
}
