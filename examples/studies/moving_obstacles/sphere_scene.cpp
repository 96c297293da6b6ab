// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_scene.hpp"

#include "examples/studies/arm7/path_verification.hpp"
#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace studies::spheres {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int substeps = 10;  // of a frame, at which collisions are checked
constexpr int most_draws = 1000, most_places = 10000;

/// The task's terms, with obstacles known at all frames.
planning::TaskSum task_of(const SphereScene& scene, std::vector<Obstacles> worlds) {
  const CostWeights& weights = scene.options.weights;
  const int T = scene.options.horizon;
  const Matrix3Xd goal = scene.goal;
  VectorXd position = planning::throughout(T, weights.position);
  position[T] += weights.end;
  return planning::TaskSum(
      {{"position",
        planning::map_residual(PointOffsets(rigid_body::TreePoints(scene.arm.tree, {scene.arm.chain.back()})),
                               [goal](int) { return goal; }),
        position},
       {"collision",
        planning::map_residual(MarginMap(scene.arm.points(), scene.checker, weights.margin),
                               [worlds = std::move(worlds)](int t) { return worlds[static_cast<std::size_t>(t)]; }),
        planning::throughout(T, weights.collision)},
       {"limits", planning::limit_residual(scene.arm.lower(), scene.arm.upper(), weights.limit_margin),
        planning::throughout(T, weights.limits)}});
}

std::vector<Obstacles> worlds_of(const SphereScene& scene, const SpheresAt& spheres) {
  std::vector<Obstacles> worlds;
  for (int t = 0; t <= scene.options.horizon; ++t) worlds.push_back(scene.obstacles(spheres(t * scene.options.dt)));
  return worlds;
}

MatrixXd controls_of(const SphereScene& scene, const MatrixXd& path) {
  return planning::second_order_controls(path, VectorXd::Zero(path.rows()), scene.options.dt);
}

}  // namespace

Obstacles SphereScene::obstacles(const Matrix3Xd& places) const {
  Obstacles spheres;
  for (Index s = 0; s < places.cols(); ++s) spheres.push_back(Capsule::sphere(places.col(s), options.radius));
  return spheres;
}

bool SphereScene::covers_goal(const SpheresAt& spheres) const {
  const double least = options.radius + arm.bodies.back().radius;
  for (int t = 0; t <= options.horizon; ++t) {
    const Matrix3Xd places = spheres(t * options.dt);
    if ((places.colwise() - goal).colwise().norm().minCoeff() < least) return true;
  }
  return false;
}

void SphereScene::check(const Push& push) const {
  if (push.t < 0 || (push.t > 0 && push.t <= options.horizon && push.offset.size() == start.size())) return;
  throw std::invalid_argument("SphereScene::check: a push at the time " + to_text(push.t) + " of " +
                              to_text(options.horizon) + " by " + to_text(push.offset.size()) + " angles, not " +
                              to_text(start.size()));
}

PathCost SphereScene::cost(const MatrixXd& path, const SpheresAt& spheres, const Push& push) const {
  check(push);
  MatrixXd states = MatrixXd::Zero(2 * path.rows(), path.cols());  // the task does not depend on velocities
  states.topRows(path.rows()) = path;
  const VectorXd tasks = task_of(*this, worlds_of(*this, spheres)).costs(states);
  PathCost cost{.position = tasks[0], .collision = tasks[1], .limits = tasks[2]};
  MatrixXd moved = path;  // by the arm itself: u does not depend on where the later piece lies
  if (push.t > 0) moved.rightCols(path.cols() - push.t).colwise() -= push.offset;
  cost.control = 0.5 * options.weights.control * controls_of(*this, moved).squaredNorm();
  const auto verify = [&](const MatrixXd& piece, int first) {
    return studies::verify_path(
        arm, piece, [&](double t) { return obstacles(spheres((first + t) * options.dt)); }, substeps);
  };
  const studies::PathVerdict before = verify(push.t > 0 ? MatrixXd(moved.leftCols(push.t + 1)) : path, 0);
  const studies::PathVerdict after = push.t > 0 ? verify(path.rightCols(path.cols() - push.t), push.t) : before;
  cost.clearance = std::min(before.clearance, after.clearance);
  cost.beyond_limits = std::max(before.limits_passed, after.limits_passed);
  Matrix3Xd tip;
  rigid_body::TreePoints(arm.tree, {arm.chain.back()}).evaluate(path.col(options.horizon), tip);
  cost.tip_error = (tip.col(0) - goal).norm();
  return cost;
}

planning::AicoResult SphereScene::plan(const SpheresAt& spheres, const std::vector<MatrixXd>& starts) const {
  const Index n = start.size();
  VectorXd first = VectorXd::Zero(2 * n);
  first.head(n) = start;
  const planning::AicoProblem problem{.state_size = 2 * n,
                                      .horizon = options.horizon,
                                      .control_cost = options.weights.control * MatrixXd::Identity(n, n),
                                      .initial_state = first,
                                      .dynamics = planning::linear_dynamics(planning::second_order_step(n, options.dt)),
                                      .task = task_of(*this, worlds_of(*this, spheres))};
  const planning::AicoOptions how{.max_iterations = 200,
                                  .relative_tolerance = 1e-5,
                                  .check_curvature = false,  // the page's plans and times are of the sweeps alone
                                  .covariances = false};
  if (starts.empty()) return aico(problem, MatrixXd::Zero(n, options.horizon), how);
  planning::AicoResult best;
  for (const MatrixXd& path : starts) {
    planning::AicoResult plan = aico(problem, controls_of(*this, path), how);
    if (best.states.size() == 0 || plan.cost < best.cost) best = std::move(plan);
  }
  return best;
}

PlannedScene draw_scene(const SceneOptions& options) {
  studies::CapsuleArm arm = studies::iiwa_with_rod(0.12, 0.02);
  VectorXd start(7), end(7);
  start << -0.9, 0.7, 0, -1.4, 0, 0.9, 0;
  end << 0.8, 0.8, 0, -1.3, 0, 0.9, 0;
  Matrix3Xd points;
  arm.points().evaluate(end, points);
  const Index tip = static_cast<Index>(arm.chain.size()) - 1;
  SphereScene scene{.options = options,
                    .arm = arm,
                    .start = start,
                    .goal = points.col(tip),
                    .centers = Matrix3Xd::Zero(3, 0),
                    .checker = CollisionChecker(arm.collision_model())};
  const MatrixXd unhindered = scene.plan(scene.standing()).states.topRows(7);
  std::mt19937_64 random(options.seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * std::ldexp(static_cast<double>(random() >> 11U), -53);
  };
  CollisionModel bodies = arm.collision_model();
  bodies.self_pairs.clear();
  const CollisionChecker links(bodies);
  const auto distance_at = [&](const VectorXd& q, const Vector3d& center) {
    arm.points().evaluate(q, points);
    return links.min_distance(points, scene.obstacles(center)).distance;
  };
  const auto is_in_the_way = [&](const Vector3d& center) {
    if ((center - scene.goal).norm() < options.radius + 0.1 || center.head<2>().norm() < options.radius + 0.3 ||
        distance_at(start, center) < 0.06)
      return false;
    for (Index t = 0; t < unhindered.cols(); ++t)
      if (distance_at(unhindered.col(t), center) < 0.05) return true;
    return false;
  };
  const auto failure = [&](const std::string& what) {
    return std::runtime_error("draw_scene: " + what + ", for " + to_text(options.spheres) + " spheres of radius " +
                              to_text(options.radius) + " m, seed " + to_text(options.seed));
  };
  const auto draw_center = [&]() -> Vector3d {
    for (int tries = 0; tries < most_places; ++tries) {
      const Vector3d center(between(0.2, 0.75), between(-0.5, 0.5), between(0.1, 0.8));
      if (is_in_the_way(center)) return center;
    }
    throw failure("none of " + to_text(most_places) + " places is in the way");
  };
  for (int tries = 0; tries < most_draws; ++tries) {
    scene.centers.resize(3, options.spheres);
    for (Index s = 0; s < options.spheres; ++s) scene.centers.col(s) = draw_center();
    if (scene.cost(unhindered, scene.standing()).clearance > -0.02) continue;
    planning::AicoResult plan = scene.plan(scene.standing(), {unhindered, start.replicate(1, unhindered.cols())});
    if (!scene.cost(plan.states.topRows(7), scene.standing()).collides())
      return {.scene = std::move(scene), .plan = std::move(plan)};
  }
  throw failure("none of " + to_text(most_draws) + " draws hinders the arm and can be avoided");
}

}  // namespace studies::spheres
