// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/study.hpp"

#include "examples/studies/unwrap/verdict.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace studies::unwrap {
namespace {

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
      for (int k = 0; k < choice_.scenes; ++k) try_scene(winding, choice_.seed + static_cast<std::uint64_t>(k), k);
    return std::move(results_);
  }

 private:
  void try_scene(double winding, std::uint64_t seed, int number) {
    const Scene scene = make_scene(winding, seed);
    const InferredPlan plan = infer_plan(scene, choice_.inference);
    const Eigen::VectorXd end = plan.end_state.posterior.mean.head(scene.joints());
    trial_ = {.winding = winding, .seed = seed, .blocked = blocked_share(scene, end)};
    add(planner::aico, scene, plan, choice_.inference);
    follow(scene);
    if (number < choice_.variant_scenes) try_variants(scene, plan);
    if (!judge(scene, end.replicate(1, 2)).possible()) {
      ++results_.impossible_ends;  // end states keep margins and limits only approximately
    } else if (can_grow_trees()) {
      grow(scene, end, Tree::rrt, planner::rrt);
      grow(scene, end, Tree::rrt_connect, planner::connect);
    }
    if (number == 0) results_.shown = Shown{scene, plan};
  }

  void follow(const Scene& scene) {
    const FollowedPath followed = follow_by_inverse_kinematics(scene, choice_.inverse_kinematics);
    Trial trial = trial_;
    trial.planner = planner::inverse_kinematics;
    trial.checks = followed.checks;
    trial.seconds = followed.seconds;
    add_path(trial, scene, followed.q);
    keep(trial);
  }

  void try_variants(const Scene& scene, const InferredPlan& plan) {
    Trial trial = trial_;
    trial.planner = planner::first_path;
    trial.checks = plan.end_checks;
    add_path(trial, scene, plan.first_path);
    keep(trial);
    for (const Variant& variant : variants) {
      InferenceOptions options = choice_.inference;
      variant.change(options);
      add(variant.name, scene, infer_plan(scene, options), options);
    }
  }

  void add(const char* name, const Scene& scene, const InferredPlan& plan, const InferenceOptions& options) {
    Trial trial = trial_;
    trial.planner = name;
    trial.checks = plan.checks;
    trial.iterations = plan.iterations;
    trial.seconds = plan.seconds;
    trial.cost = control_cost(plan.q, options);
    add_verdict(trial, scene, plan.q);
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
    add_verdict(trial, scene, q);
  }

  static void add_verdict(Trial& trial, const Scene& scene, const Eigen::MatrixXd& q) {
    const Verdict verdict = judge(scene, q);
    trial.clearance = verdict.clearance;
    trial.offset = verdict.offset;
    trial.success = verdict.success();
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
  StudyResults results = Study(choice, on_trial).run();
  if (choice.sweep_scenes == 0) return results;
  StudyChoice swept = choice;
  swept.scenes = choice.sweep_scenes;
  swept.seed = choice.sweep_seed;
  swept.variant_scenes = 0;
  for (const double precision : choice.precisions) {
    swept.inference.writhe = precision;
    results.sweep.push_back({precision, Study(swept, on_trial).run().trials});
  }
  return results;
}

}  // namespace studies::unwrap
