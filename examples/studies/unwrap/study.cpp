// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/study.hpp"

#include "examples/studies/arm7/path_verification.hpp"
#include "quoin/geometry/collision_checker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace studies::unwrap {
namespace {

constexpr double goal_tolerance = 0.01;  // m
constexpr double step = 0.01;            // rad, of verification, Euclidean as the trees' resolution

int substeps(const Eigen::MatrixXd& q) {
  const double longest = (q.rightCols(q.cols() - 1) - q.leftCols(q.cols() - 1)).colwise().norm().maxCoeff();
  return std::max(1, static_cast<int>(std::ceil(longest / step)));
}

double blocked_share(const Scene& scene, const Eigen::VectorXd& end) {
  const CollisionChecker checker(scene.arm.collision_model());
  const rigid_body::TreePoints kinematics = scene.arm.points();
  Eigen::Matrix3Xd points;
  constexpr int samples = 1000;
  int blocked = 0;
  for (int k = 0; k <= samples; ++k) {
    kinematics.evaluate(scene.start + (end - scene.start) * k / samples, points);
    blocked += checker.collides(points, scene.obstacles);
  }
  return blocked / (samples + 1.0);
}

double end_offset(const Scene& scene, const Eigen::VectorXd& q) {
  Eigen::Matrix3Xd palm, tips;
  scene.palm().evaluate(q, palm);
  scene.tips().evaluate(q, tips);
  return std::max((palm - scene.palm_goals).colwise().norm().maxCoeff(),
                  (tips - scene.tip_goals).colwise().norm().maxCoeff());
}

void judge(Trial& trial, const Scene& scene, const Eigen::MatrixXd& q) {
  const studies::PathVerdict verdict = studies::verify_path(scene.arm, q, scene.obstacles, substeps(q));
  trial.clearance = verdict.clearance;
  trial.offset = end_offset(scene, q.rightCols(1));
  trial.success = verdict.free() && verdict.limits_passed <= 0 && trial.offset < goal_tolerance;
}

/// Whether q is a valid goal for a tree: end states keep margins and limits only approximately.
bool is_possible(const Scene& scene, const Eigen::VectorXd& q) {
  const studies::PathVerdict verdict = studies::verify_path(scene.arm, q, scene.obstacles);
  return verdict.free() && verdict.limits_passed <= 0;
}

/// Resamples a path through few points at as many instants as a plan has, with speeds proportional to 30 s^2 (1 - s)^2;
/// the distance s^3 (10 - 15 s + 6 s^2) is the smoothest from rest to rest.
Eigen::MatrixXd timed(const Eigen::MatrixXd& q, int horizon) {
  Eigen::VectorXd place = Eigen::VectorXd::Zero(q.cols());
  for (Eigen::Index k = 1; k < q.cols(); ++k) place[k] = place[k - 1] + (q.col(k) - q.col(k - 1)).norm();
  Eigen::MatrixXd path(q.rows(), horizon + 1);
  Eigen::Index k = 0;
  for (int t = 0; t <= horizon; ++t) {
    const double s = static_cast<double>(t) / horizon;
    const double at = place[place.size() - 1] * s * s * s * (10 - 15 * s + 6 * s * s);
    while (k + 2 < q.cols() && place[k + 1] < at) ++k;
    const double length = place[k + 1] - place[k];
    path.col(t) =
        q.col(k) + (q.col(k + 1) - q.col(k)) * (length > 0 ? std::clamp((at - place[k]) / length, 0.0, 1.0) : 1);
  }
  return path;
}

class Study {
 public:
  Study(const StudyChoice& choice, const std::function<void(const Trial&)>& on_trial)
      : choice_(choice), on_trial_(on_trial) {}

  StudyResults run() {
    for (const double winding : choice_.windings)
      for (int k = 0; k < choice_.scenes; ++k)
        try_scene(winding, choice_.first_seed + static_cast<std::uint64_t>(k), k);
    return std::move(results_);
  }

 private:
  void try_scene(double winding, std::uint64_t seed, int number) {
    const Scene scene = make_scene(winding, seed);
    const InferredPlan plan = infer_plan(scene, choice_.inference);
    const Eigen::VectorXd end = plan.end_state.posterior.mean.head(scene.joints());
    trial_ = {.winding = winding, .seed = seed, .blocked = blocked_share(scene, end)};
    add(planner::aico, scene, plan, choice_.inference);
    if (number < choice_.variant_scenes) try_variants(scene);
    if (!is_possible(scene, end)) {
      ++results_.impossible_ends;
    } else if (can_grow_trees()) {
      grow(scene, end, Tree::rrt, planner::rrt);
      grow(scene, end, Tree::rrt_connect, planner::connect);
    }
    if (number == 0) results_.shown = Shown{scene, plan};
  }

  void try_variants(const Scene& scene) {
    const auto with = [&](const char* name, auto&& change) {
      InferenceOptions options = choice_.inference;
      change(options);
      add(name, scene, infer_plan(scene, options), options);
    };
    with(planner::line, [](InferenceOptions& o) { o.first_path = FirstPath::line; });
    with(planner::one_stage, [](InferenceOptions& o) { o.two_stages = false; });
    with(planner::no_relinearization, [](InferenceOptions& o) { o.aico.relinearizations = 0; });
    with(planner::as_wound, [](InferenceOptions& o) { o.end_start = EndStart::as_wound; });
    with(planner::no_writhe_line, [](InferenceOptions& o) {
      o.writhe = 0;
      o.first_path = FirstPath::line;
    });
    with(planner::no_writhe_rest, [](InferenceOptions& o) {
      o.writhe = 0;
      o.first_path = FirstPath::at_rest;
    });
  }

  void add(const char* name, const Scene& scene, const InferredPlan& plan, const InferenceOptions& options) {
    Trial trial = trial_;
    trial.planner = name;
    trial.checks = plan.checks;
    trial.iterations = plan.iterations;
    trial.seconds = plan.seconds;
    trial.cost = control_cost(plan.q, options);
    judge(trial, scene, plan.q);
    keep(trial);
  }

  void grow(const Scene& scene, const Eigen::VectorXd& end, Tree tree, const char* name) {
    const GrownPath grown = grow_tree(scene, end, tree, static_cast<std::uint32_t>(trial_.seed), choice_.trees);
    Trial trial = trial_;
    trial.planner = name;
    trial.checks = grown.checks;
    trial.seconds = grown.seconds;
    if (grown.found) add_path(trial, scene, grown.q);
    keep(trial);
    if (!grown.found || tree != Tree::rrt_connect) return;
    trial.planner = planner::shortened;
    trial.checks += grown.simplify_checks;
    trial.seconds += grown.simplify_seconds;
    add_path(trial, scene, grown.simplified);
    keep(trial);
  }

  void add_path(Trial& trial, const Scene& scene, const Eigen::MatrixXd& q) const {
    trial.cost = control_cost(timed(q, choice_.inference.horizon), choice_.inference);
    judge(trial, scene, q);
  }

  void keep(const Trial& trial) {
    results_.trials.push_back(trial);
    if (on_trial_) on_trial_(trial);
  }

  const StudyChoice& choice_;
  const std::function<void(const Trial&)>& on_trial_;
  Trial trial_;
  StudyResults results_;
};

}  // namespace

StudyResults run_study(const StudyChoice& choice, const std::function<void(const Trial&)>& on_trial) {
  return Study(choice, on_trial).run();
}

}  // namespace studies::unwrap
