// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_study.hpp"

#include "examples/studies/program/statistics.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace studies::spheres {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double MethodCosts::mean() const {
  double sum = 0;
  for (const PathCost& cost : costs) sum += cost.total();
  return sum / static_cast<double>(costs.size());
}

double MethodCosts::quantile(double part) const {
  std::vector<double> totals;
  for (const PathCost& cost : costs) totals.push_back(cost.total());
  return studies::quantile(std::move(totals), part);
}

double MethodCosts::mean_of(double PathCost::*part) const {
  double sum = 0;
  for (const PathCost& cost : costs) sum += cost.*part;
  return sum / static_cast<double>(costs.size());
}

double MethodCosts::collision_share() const {
  return static_cast<double>(std::ranges::count_if(costs, &PathCost::collides)) / static_cast<double>(costs.size());
}

const MethodCosts& SetResult::of(const std::string& name) const {
  const auto found = std::ranges::find(methods, name, &MethodCosts::name);
  if (found == methods.end()) throw std::out_of_range("SetResult::of: no '" + name + "'");
  return *found;
}

double SetResult::ratio(const std::string& name) const { return of(name).mean() / of(replanning).mean(); }

SpheresAt spheres_of(SphereMotion motion) {
  return [motion = std::move(motion)](double time) { return motion.at(time); };
}

std::vector<SphereMotion> draw_motions(const SphereScene& scene, const MotionSet& set, int* rejected) {
  std::vector<SphereMotion> motions;
  for (std::uint64_t seed = set.first_seed; std::ssize(motions) < set.count; ++seed) {
    if (seed - set.first_seed > 100 * static_cast<std::uint64_t>(set.count))
      throw std::runtime_error("draw_motions: " + to_text(motions.size()) + " of " + to_text(seed - set.first_seed) +
                               " motions by " + to_text(set.amplitude) + " m leave the goal free, " +
                               to_text(set.count) + " are wanted, seeds from " + to_text(set.first_seed));
    SphereMotion motion(scene.centers, {.amplitude = set.amplitude, .seconds = scene.seconds(), .pieces = set.pieces},
                        seed);
    if (!scene.covers_goal(spheres_of(motion))) {
      motions.push_back(std::move(motion));
    } else if (rejected) {
      ++*rejected;
    }
  }
  return motions;
}

SetResult run_set(const PlannedScene& planned, const MotionSet& set, const std::vector<NamedRule>& rules, bool replan,
                  int threads) {
  const SphereScene& scene = planned.scene;
  SetResult result{.set = set};
  const std::vector<SphereMotion> motions = draw_motions(scene, set, &result.rejected);
  if (replan) result.methods.push_back({.name = replanning});
  for (const NamedRule& rule : rules) result.methods.push_back({.name = rule.name});
  result.methods.push_back({.name = blind});
  for (MethodCosts& method : result.methods) method.costs.resize(motions.size());
  const MatrixXd path = planned.path(), rest = scene.start.replicate(1, path.cols());
  parallel_for(motions.size(), static_cast<std::size_t>(threads), [&](std::size_t k) {
    const SpheresAt spheres = spheres_of(motions[k]);
    auto method = result.methods.begin();
    if (replan) {
      const planning::AicoResult aware = scene.plan(spheres, {path, rest});
      (method++)->costs[k] = scene.cost(aware.states.topRows(path.rows()), spheres);
    }
    for (const NamedRule& named : rules) {
      FrameRule rule(scene, planned.plan, named.options);
      (method++)->costs[k] = scene.cost(follow(rule, scene, spheres), spheres);
    }
    method->costs[k] = scene.cost(path, spheres);
  });
  return result;
}

SetResult pooled(const std::vector<SetResult>& scenes) {
  SetResult all = scenes.front();
  for (std::size_t i = 1; i < scenes.size(); ++i) {
    all.rejected += scenes[i].rejected;
    for (std::size_t m = 0; m < all.methods.size(); ++m)
      std::ranges::copy(scenes[i].methods[m].costs, std::back_inserter(all.methods[m].costs));
  }
  return all;
}

std::vector<double> frame_seconds(const PlannedScene& planned, const MotionSet& set, const FrameRuleOptions& options) {
  const SphereScene& scene = planned.scene;
  FrameRule rule(scene, planned.plan, options);
  std::vector<double> seconds;
  for (const SphereMotion& motion : draw_motions(scene, set)) {
    VectorXd q = scene.start, qd = VectorXd::Zero(q.size());
    for (int t = 0; t < scene.options.horizon; ++t) {
      const Matrix3Xd now = motion.at(t * scene.options.dt);
      const studies::Stopwatch watch;
      const VectorXd& next = rule.next(t, q, qd, now);
      seconds.push_back(watch.seconds());
      qd = (next - q) / scene.options.dt;
      q = next;
    }
  }
  return seconds;
}

}  // namespace studies::spheres
