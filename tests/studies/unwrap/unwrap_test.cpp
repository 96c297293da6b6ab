// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/path_verification.hpp"
#include "examples/studies/unwrap/inference.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"

#include <catch2/catch.hpp>

using namespace studies;
using namespace studies::unwrap;

TEST_CASE("The rope arm lies straight along x, its hand open", "[unwrap]") {
  const studies::CapsuleArm arm = rope_arm();
  CHECK(arm.tree.joints() == 29);
  Eigen::Matrix3Xd points;
  arm.points().evaluate(Eigen::VectorXd::Zero(29), points);
  for (int k = 0; k <= rope_segments; ++k)
    CHECK((points.col(k) - Eigen::Vector3d(k * segment_length, 0, 0)).norm() < 1e-12);
  for (int f = 0; f < fingers; ++f)
    CHECK(
        (points.col(tip_of(f)) - points.col(rope_segments) - knuckle_in_wrist(f) - Eigen::Vector3d(0.12, 0, 0)).norm() <
        1e-12);
  const CollisionChecker checker(arm.collision_model());
  arm.points().evaluate(straight_pose(), points);
  CHECK(checker.min_distance(points, {}).distance > 0);
}

TEST_CASE("Scenes are wound as far as asked, without contact and within limits", "[unwrap]") {
  double before = 0;
  for (const double winding : {0.5, 1.0, 1.5, 2.0, 2.5}) {
    const Scene scene = make_scene(winding, 7);
    const CollisionChecker checker(scene.arm.collision_model());
    Eigen::Matrix3Xd points;
    scene.arm.points().evaluate(scene.start, points);
    CHECK(checker.min_distance(points, scene.obstacles).distance >= 0.018);
    CHECK((scene.start - scene.arm.upper()).maxCoeff() < 0);
    CHECK((scene.arm.lower() - scene.start).maxCoeff() < 0);
    // The last half turn takes the length that was straight, which counts as well.
    if (before > 0 && winding <= 2) CHECK(scene.turns_at_start - before == Approx(0.5).margin(0.05));
    CHECK(scene.turns_at_start > before);
    before = scene.turns_at_start;
  }
  CHECK_THROWS_WITH(make_scene(3, 1), Catch::Contains("3 turns"));
  CHECK_THROWS_WITH(make_scene(-1, 1), Catch::Contains("0 to 2.6"));
}

TEST_CASE("Hierarchical AICO unwinds the arm without contact", "[unwrap]") {
  const Scene scene = make_scene(1, 4);
  const InferredPlan plan = infer_plan(scene);
  const studies::PathVerdict verdict = studies::verify_path(scene.arm, plan.q, scene.obstacles);
  CHECK(verdict.free());
  CHECK(verdict.limits_passed <= 0);
  CHECK(plan.checks < 1000);
  CHECK(plan.q.col(0) == scene.start);
  Eigen::Matrix3Xd tips;
  scene.tips().evaluate(plan.q.rightCols(1), tips);
  CHECK((tips - scene.tip_goals).colwise().norm().maxCoeff() < 0.01);
  CHECK(control_cost(plan.q, {}) == Approx(plan.plan.control_cost).epsilon(1e-9));
}
