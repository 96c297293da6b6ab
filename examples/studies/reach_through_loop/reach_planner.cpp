// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/reach_planner.hpp"

#include "examples/studies/arm7/path_verification.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/reach_through_loop/rod_way.hpp"
#include "quoin/robots/geometry/margin_map.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/planning/aico/end_state_posterior.hpp"
#include "quoin/robots/planning/aico/task_sum.hpp"
#include "quoin/robots/task_maps/point_offsets.hpp"

#include <utility>
#include <vector>

namespace studies::loop {
namespace {

using planning::map_residual;
using planning::TaskTerm;
using planning::throughout;
using rigid_body::TreePoints;

template <class T>
auto always(T value) {
  return [value = std::move(value)](int) -> const T& { return value; };
}

auto columns(Eigen::MatrixXd all) {
  return [all = std::move(all)](int t) -> Eigen::VectorXd { return all.col(t); };
}

bool looks_for_collisions(Side side) { return side == Side::collision || side == Side::collision_way; }

class Terms {
 public:
  Terms(const ReachScene& scene, const HollowBox& box, const Setting& setting, const CollisionChecker& checker)
      : scene_(scene), box_(box), setting_(setting), checker_(checker) {
    scene.rod().evaluate(scene.start, rod_at_start_);
  }

  std::vector<TaskTerm> of(Side side) const {
    const Eigen::Matrix3Xd goal = box_.goal();
    std::vector<TaskTerm> terms = {
        {"goal", map_residual(PointOffsets(scene_.tip()), always(goal)), planning::at_end(horizon, setting_.position)},
        {"limits", planning::limit_residual(scene_.arm.lower(), scene_.arm.upper(), 0.02), throughout(horizon, 1e4)},
        {"rest", planning::rest_residual(), planning::at_end(horizon, 100)}};
    if (side == Side::topology) add_topology(terms, Way::into_box);
    if (side == Side::topology_line) add_topology(terms, Way::to_end);
    if (looks_for_collisions(side))
      terms.push_back(
          {"clear", map_residual(MarginMap(scene_.arm.points(), checker_, setting_.margin), always(box_.obstacles())),
           throughout(horizon, setting_.margins)});
    if (side == Side::way || side == Side::collision_way) add_way(terms, Way::into_box);
    if (side == Side::way_line) add_way(terms, Way::to_end);
    return terms;
  }

 private:
  template <class Phi>
  Eigen::MatrixXd targets(Way way, const Phi& phi) const {
    return targets_along(way, box_, ReachScene::rod_places(), rod_at_start_, horizon, phi);
  }

  void add_topology(std::vector<TaskTerm>& terms, Way way) const {
    const TreePoints rod = scene_.rod();
    const Eigen::Matrix3Xd rim = box_.rim(), landmarks = box_.rim_landmarks();
    const topology::InteractionMesh mesh = rod_mesh();
    const auto writhe_of = [&](const Eigen::Matrix3Xd& at) {
      Eigen::VectorXd w;
      topology::writhe(at, rim, rod_writhe(), w);
      return w;
    };
    const auto mesh_of = [&](const Eigen::Matrix3Xd& at) {
      Eigen::VectorXd y;
      mesh.evaluate(at, landmarks, y);
      return y;
    };
    terms.push_back(
        {"writhe", map_residual(topology::WritheMap(rod, rod_writhe()), always(rim), columns(targets(way, writhe_of))),
         throughout(horizon, setting_.writhe)});
    terms.push_back(
        {"mesh",
         map_residual(topology::InteractionMeshMap(rod, mesh), always(landmarks), columns(targets(way, mesh_of))),
         throughout(horizon, setting_.mesh)});
  }

  void add_way(std::vector<TaskTerm>& terms, Way way) const {
    const Eigen::MatrixXd places =
        targets(way, [](const Eigen::Matrix3Xd& at) -> Eigen::VectorXd { return at.reshaped(); });
    terms.push_back(
        {"way",
         map_residual(PointOffsets(scene_.rod()),
                      [places](int t) -> Eigen::Matrix3Xd { return places.col(t).reshaped(3, places.rows() / 3); }),
         throughout(horizon, setting_.way)});
  }

  const ReachScene& scene_;
  const HollowBox& box_;
  const Setting& setting_;
  const CollisionChecker& checker_;
  Eigen::Matrix3Xd rod_at_start_;
};

/// The controls of a path from the start at rest to q at rest.
Eigen::MatrixXd controls_to(const Eigen::VectorXd& start, const Eigen::VectorXd& q) {
  Eigen::MatrixXd path(start.size(), horizon + 1);
  for (int t = 0; t <= horizon; ++t) {
    const double s = static_cast<double>(t) / horizon;
    path.col(t) = start + s * s * (3 - 2 * s) * (q - start);
  }
  return planning::second_order_controls(path, Eigen::VectorXd::Zero(start.size()), time_step);
}

}  // namespace

const char* to_string(Side side) {
  switch (side) {
    case Side::topology: return "writhe + mesh";
    case Side::topology_line: return "writhe + mesh, end only";
    case Side::collision: return "collision avoidance";
    case Side::collision_way: return "collision avoidance + way";
    case Side::way: return "way alone";
    case Side::way_line: return "way alone, end only";
  }
  return "";
}

std::string describe(Side side, const Setting& setting) {
  const auto number = [](double value) { return figures::format_number(value, 2); };
  std::string words = "goal " + number(setting.position);
  if (side == Side::topology || side == Side::topology_line)
    words += ", mesh " + number(setting.mesh) + ", writhe " + number(setting.writhe);
  if (looks_for_collisions(side))
    words += ", margins " + number(setting.margins) + " of " + number(setting.margin) + " m";
  if (side == Side::way || side == Side::way_line || side == Side::collision_way)
    words += ", way " + number(setting.way);
  return words + ", tolerance " + number(setting.tolerance) + ", damping " + number(setting.damping) +
         (setting.from_end_state ? ", from the end state" : ", from rest");
}

Plan plan_reach(const ReachScene& scene, const HollowBox& box, Side side, const Setting& setting) {
  const CollisionChecker checker(scene.arm.collision_model());
  const planning::TaskSum task(Terms(scene, box, setting, checker).of(side));
  const Eigen::Index d = scene.start.size();
  const planning::LinearStep step = planning::second_order_step(d, time_step);
  const planning::AicoProblem problem{.state_size = 2 * d,
                                      .horizon = horizon,
                                      .control_cost = control_cost * Eigen::MatrixXd::Identity(d, d),
                                      .initial_state = scene.state_at_start(),
                                      .dynamics = planning::linear_dynamics(step),
                                      .task = task};
  Plan plan;
  Eigen::MatrixXd controls = Eigen::MatrixXd::Zero(d, horizon);
  if (setting.from_end_state) {
    const auto end = planning::end_state_posterior(
        planning::propagate({problem.initial_state}, step, horizon, problem.control_cost),
        [&](const Eigen::VectorXd& x, planning::LocalTask& local) { return task(horizon, x, local); },
        {.tolerance = 1e-4});
    plan.end_iterations = end.iterations;
    controls = controls_to(scene.start, end.posterior.mean.head(d));
  }
  plan.result = planning::aico(problem, controls,
                               {.max_iterations = 100,
                                .relative_tolerance = setting.tolerance,
                                .step_tolerance = setting.tolerance,
                                .initial_damping = setting.damping,
                                .check_curvature = false,  // the page's plans and times are of the sweeps alone
                                .covariances = false});
  plan.checks = checker.counts().checks;
  return plan;
}

Verdict judge(const ReachScene& scene, const HollowBox& box, const Eigen::MatrixXd& path) {
  const studies::PathVerdict verdict = studies::verify_path(scene.arm, path, box.obstacles());
  Eigen::Matrix3Xd chain;
  scene.arm.chain_points().evaluate(path.rightCols<1>(), chain);
  return {.miss = (chain.rightCols<1>() - box.goal()).norm(),
          .crossings = crossings(chain, box),
          .clearance = verdict.clearance,
          .limits_passed = verdict.limits_passed};
}

}  // namespace studies::loop
