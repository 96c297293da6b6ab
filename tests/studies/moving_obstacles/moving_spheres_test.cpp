// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/frame_rule.hpp"
#include "examples/studies/moving_obstacles/sphere_motion.hpp"
#include "examples/studies/moving_obstacles/sphere_scene.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace studies::spheres {
namespace {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;

TEST_CASE("spheres start at rest, move smoothly and reach their amplitude, whatever the seed", "[spheres]") {
  const Matrix3Xd centers = Matrix3Xd::Random(3, 4);
  for (const std::uint64_t seed : {1, 2, 3})
    for (const int pieces : {1, 4, 9}) {
      const SphereMotion motion(centers, {.amplitude = 0.2, .seconds = 5, .pieces = pieces}, seed);
      const SphereMotion larger(centers, {.amplitude = 0.6, .seconds = 5, .pieces = pieces}, seed);
      CHECK((motion.at(0) - centers).norm() < 1e-15);
      CHECK((motion.at(1e-3) - centers).norm() < 1e-6);
      Eigen::RowVectorXd furthest = Eigen::RowVectorXd::Zero(4);
      double jump = 0;
      constexpr double step = 5.0 / 2000;
      for (int k = 0; k <= 2000; ++k) {
        const Matrix3Xd now = motion.at(k * step);
        furthest = furthest.cwiseMax((now - centers).colwise().norm());
        if (k < 2) continue;
        const Matrix3Xd bend = now - 2 * motion.at((k - 1) * step) + motion.at((k - 2) * step);
        jump = std::max(jump, bend.colwise().norm().maxCoeff() / (step * step));
      }
      CHECK(furthest.minCoeff() > 0.2 - 1e-4);
      CHECK(furthest.maxCoeff() < 0.2 + 1e-4);
      CHECK(jump < 4 * 0.2 * pieces * pieces);  // accelerations are bounded: no corner anywhere
      CHECK((larger.at(3) - centers - 3 * (motion.at(3) - centers)).norm() < 1e-14);
      CHECK((motion.at(7) - motion.at(5)).norm() == 0);
    }
  CHECK_THROWS_AS(SphereMotion(centers, {.amplitude = -1}, 1), std::invalid_argument);
  CHECK_THROWS_AS(SphereMotion(centers, {.pieces = 0}, 1), std::invalid_argument);
}

#ifdef QUOIN_HAS_URDF

const PlannedScene& drawn() {
  static const PlannedScene planned = draw_scene({.seed = 2});
  return planned;
}
const SphereScene& scene() { return drawn().scene; }
const planning::AicoResult& plan() { return drawn().plan; }

TEST_CASE("a path's cost is what the planner says of it, and that of a drawn scene is free", "[spheres]") {
  const MatrixXd path = plan().states.topRows(7);
  const PathCost cost = scene().cost(path, scene().standing());
  CHECK(std::abs(cost.total() - plan().cost) < 1e-9 * cost.total());
  CHECK(!cost.collides());
  CHECK(cost.tip_error < 5e-3);
  CHECK(cost.beyond_limits <= 0);
}

TEST_CASE("spheres that fit nowhere are no scene", "[spheres]") {
  CHECK_THROWS_AS(draw_scene({.radius = 2}), std::runtime_error);
}

TEST_CASE("a goal is covered where a sphere leaves the tip no room", "[spheres]") {
  const double room = scene().options.radius + scene().arm.bodies.back().radius;
  for (const double part : {0.99, 1.01}) {
    Matrix3Xd centers = scene().centers;
    centers.col(0) = scene().goal + part * room * Vector3d(0.6, 0, 0.8);
    CHECK(scene().covers_goal([&](double time) { return time > 4.9 ? centers : scene().centers; }) == (part < 1));
  }
}

TEST_CASE("among spheres that stand, remapping to convergence is the plan", "[spheres]") {
  for (const FrameStep step : {FrameStep::planned, FrameStep::fed_back}) {
    FrameRuleOptions options = remapping(1, 0);
    options.step = step;
    options.iterations = 50;
    FrameRule rule(scene(), plan(), options);
    CHECK((follow(rule, scene(), scene().standing()) - plan().states.topRows(7)).cwiseAbs().maxCoeff() < 1e-4);
  }
}

TEST_CASE("the plan's gains lead back to the plan after a push, its steps alone do not", "[spheres]") {
  const Push push{.t = 15, .offset = Eigen::VectorXd::Constant(7, 0.05)};
  const auto tip_error = [&](const FrameRuleOptions& options) {
    FrameRule rule(scene(), plan(), options);
    return scene().cost(follow(rule, scene(), scene().standing(), push), scene().standing(), push).tip_error;
  };
  CHECK(tip_error({.step = FrameStep::fed_back}) < 0.2 * tip_error({}));
  CHECK(tip_error(remapping()) < 0.2 * tip_error({}));
}

TEST_CASE("the jump of a push costs no control, and nothing is hit on it", "[spheres]") {
  Push push{.t = 15, .offset = Eigen::VectorXd::Constant(7, 0.1)};
  FrameRule rule(scene(), plan(), {.carry = 1});  // goes on parallel to the plan, with the plan's controls
  const PathCost aside = scene().cost(follow(rule, scene(), scene().standing(), push), scene().standing(), push);
  CHECK(std::abs(aside.control - plan().control_cost) < 1e-9 * plan().control_cost);

  push.offset = Eigen::VectorXd::Unit(7, 0);
  MatrixXd path = scene().start.replicate(1, 51), halfway = scene().start + 0.5 * push.offset;
  path.rightCols(36).colwise() += push.offset;
  Matrix3Xd points;
  scene().arm.points().evaluate(halfway, points);
  Matrix3Xd centers = scene().centers;
  centers.row(2).array() += 5;
  centers.col(0) = points.rightCols<1>();
  const auto spheres = [&](double) { return centers; };
  CHECK(scene().cost(path, spheres).collides());
  CHECK(!scene().cost(path, spheres, push).collides());
  CHECK(scene().cost(path, spheres, push).control < 1e-20);
  push.t = 51;
  CHECK_THROWS_AS(scene().cost(path, spheres, push), std::invalid_argument);
}

TEST_CASE("a sphere that comes into the plan's way is evaded", "[spheres]") {
  Matrix3Xd points;
  scene().arm.points().evaluate(plan().states.col(50).head(7), points);
  const Vector3d elbow = 0.5 * (points.col(2) + points.col(3));
  const Vector3d from = elbow + Vector3d(0, -0.1, -0.35);
  const SpheresAt approaching = [&](double time) {
    Matrix3Xd centers = scene().centers;
    centers.col(0) = from + std::min(1.0, time / 4) * 0.75 * (elbow - from);
    return centers;
  };
  const PathCost old = scene().cost(plan().states.topRows(7), approaching);
  REQUIRE(old.collides());
  for (const FrameRuleOptions& options : {remapping(), remapping(1, 0), inverse_kinematics()}) {
    FrameRule rule(scene(), plan(), options);
    CHECK(scene().cost(follow(rule, scene(), approaching), approaching).collision < 0.5 * old.collision);
  }
}

#endif

}  // namespace
}  // namespace studies::spheres
