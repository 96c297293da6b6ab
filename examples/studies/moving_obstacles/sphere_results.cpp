// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_results.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace studies::spheres {
namespace {

using figures::format_number;

constexpr std::uint64_t tuning_seed = 1000001;  // of motions that no level uses

SetResult run_scenes(const std::vector<PlannedScene>& scenes, const MotionSet& set, const std::vector<NamedRule>& rules,
                     bool replan, int threads, std::vector<SetResult>* apart = nullptr) {
  std::vector<SetResult> results;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    MotionSet own = set;
    own.first_seed += 10000 * i;
    results.push_back(run_set(scenes[i], own, rules, replan, threads));
  }
  if (apart) *apart = results;
  return pooled(results);
}

/// So many scenes, of the seeds from that of the options on that give one.
std::vector<PlannedScene> draw_scenes(SceneOptions options, int count, int* passed_over = nullptr) {
  std::vector<PlannedScene> scenes;
  for (int failed = 0; std::ssize(scenes) < count; ++options.seed) {
    try {
      scenes.push_back(draw_scene(options));
    } catch (const std::runtime_error&) {
      if (++failed > count) throw;
      if (passed_over) ++*passed_over;
    }
  }
  return scenes;
}

FrameRuleOptions amending() {
  FrameRuleOptions options = inverse_kinematics(0.5);
  options.step = FrameStep::planned;
  options.carry = 0.7;
  return options;
}

FrameRuleOptions printed() {
  FrameRuleOptions options = remapping(1, 0);
  options.thickness = 0;
  return options;
}

class SweepBuilder {
 public:
  void add(const std::string& family, double value, const FrameRuleOptions& options, double margin = 0) {
    const std::string name = family + " " + format_number(value) + " " + format_number(margin);
    sweep_.points.push_back({.family = family, .value = value, .margin = margin, .name = name});
    rules_.push_back({name, options});
  }
  Sweep run(const std::vector<PlannedScene>& scenes, const MotionSet& set, int threads) {
    sweep_.result = run_scenes(scenes, set, rules_, true, threads);
    return sweep_;
  }

 private:
  Sweep sweep_;
  std::vector<NamedRule> rules_;
};

Sweep sweep_strength(const std::vector<PlannedScene>& scenes, const MotionSet& set, int threads) {
  SweepBuilder sweep;
  for (const double c : {0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0}) {
    sweep.add("mesh and contact", c, remapping(c));
    sweep.add("mesh alone", c, remapping(c, 0));
    FrameRuleOptions dragging = remapping(c, 0);
    dragging.mesh_spheres = c;
    sweep.add("with the spheres' rows", c, dragging);
    FrameRuleOptions thin = remapping(c, 0);
    thin.thickness = 0;
    sweep.add("as printed", c, thin);
    thin.mesh_spheres = c;
    sweep.add("as printed, with the spheres' rows", c, thin);
  }
  return sweep.run(scenes, set, threads);
}

Sweep sweep_gain(const std::vector<PlannedScene>& scenes, const MotionSet& set, int threads) {
  SweepBuilder sweep;
  for (const double margin : {0.005, 0.01, 0.03, 0.08})
    for (const double damping : {0.03, 0.1, 0.3, 0.5}) {
      sweep.add("inverse kinematics", damping, inverse_kinematics(damping, margin), margin);
      FrameRuleOptions options = amending();
      options.contact_margin = margin;
      options.tip = options.contact = 1 / (damping * damping);
      sweep.add("on the plan", damping, options, margin);
      if (margin != 0.03) continue;
      options = inverse_kinematics(damping, margin);
      options.straight = true;
      sweep.add("straight to the goal", damping, options, margin);
    }
  return sweep.run(scenes, set, threads);
}

Sweep sweep_steps(const std::vector<PlannedScene>& scenes, const MotionSet& set, int threads) {
  SweepBuilder sweep;
  for (const int iterations : {1, 2, 5, 50}) {
    FrameRuleOptions options = remapping();
    options.iterations = iterations;
    sweep.add(remapped, iterations, options);
    options = remapping(1, 0);
    options.iterations = iterations;
    sweep.add(mesh_alone, iterations, options);
  }
  for (const double carry : {0.0, 0.3, 0.7, 0.9, 1.0}) {
    FrameRuleOptions options = remapping();
    options.carry = carry;
    sweep.add("h planned, carry", carry, options);
  }
  FrameRuleOptions options = remapping();
  options.step = FrameStep::fed_back;
  sweep.add("h fed back", 1, options);
  return sweep.run(scenes, set, threads);
}

std::vector<PushResult> run_pushes(const std::vector<PlannedScene>& scenes, const MotionSet& set, double size) {
  std::vector<NamedRule> rules;
  for (const bool fed_back : {false, true})
    for (const bool meshed : {false, true}) {
      FrameRuleOptions options = meshed ? remapping() : FrameRuleOptions{.carry = 0.7};
      if (fed_back) options.step = FrameStep::fed_back;
      rules.push_back(
          {std::string(meshed ? "remapping" : "the plan alone") + (fed_back ? ", with gains" : ", without"), options});
    }
  std::vector<PushResult> results;
  for (const NamedRule& named : rules) {
    PushResult& result = results.emplace_back(PushResult{.name = named.name});
    std::mt19937 random(1);
    double count = 0;
    for (const PlannedScene& planned : scenes)
      for (const SphereMotion& motion : draw_motions(planned.scene, set)) {
        Eigen::VectorXd offset(planned.scene.start.size());
        for (double& angle : offset) angle = size * ((random() >> 31U) != 0U ? 1 : -1);
        FrameRule rule(planned.scene, planned.plan, named.options);
        const SpheresAt spheres = spheres_of(motion);
        const Push push{.t = 15, .offset = offset};
        const PathCost cost = planned.scene.cost(follow(rule, planned.scene, spheres, push), spheres, push);
        result.cost += cost.total();
        result.tip_error += cost.tip_error;
        result.share += cost.collides() ? 1 : 0;
        ++count;
      }
    result.cost /= count;
    result.tip_error /= count;
    result.share /= count;
  }
  return results;
}

FrameTime time_of(const PlannedScene& scene, const std::string& name, const FrameRuleOptions& options, int motions) {
  const std::vector<double> seconds =
      frame_seconds(scene, {.amplitude = tuned_displacement, .count = motions}, options);
  return {.name = name,
          .iterations = options.iterations,
          .median = studies::quantile(seconds, 0.5),
          .late = studies::quantile(seconds, 0.99),
          .worst = studies::quantile(seconds, 1)};
}

}  // namespace

std::vector<NamedRule> compared_rules() {
  return {{remapped, remapping()},
          {mesh_alone, remapping(1, 0)},
          {as_printed, printed()},
          {plain_ik, inverse_kinematics()},
          {stiff_ik, inverse_kinematics(0.1, 0.01)},
          {amending_ik, amending()}};
}

SphereResults run_parts(const ProgramOptions& options) {
  const int threads = cores();
  SphereResults results;
  results.scenes = draw_scenes({.seed = options.seed}, options.scenes, &results.passed_over);
  const MotionSet set{.count = options.motions, .first_seed = options.seed};
  for (const double amplitude : {0.0, 0.05, 0.1, 0.15, 0.2, 0.25, checked_displacement}) {
    MotionSet own = set;
    own.amplitude = amplitude;
    std::vector<SetResult> apart;
    results.levels.push_back(run_scenes(results.scenes, own, compared_rules(), true, threads, &apart));
    if (amplitude == checked_displacement) results.by_scene = apart;
  }
  const std::vector<PlannedScene> tuning_scenes = draw_scenes({.seed = 1}, options.tuning_scenes);
  const MotionSet tuning{.amplitude = tuned_displacement, .count = options.tuning_motions, .first_seed = tuning_seed};
  results.strength = sweep_strength(tuning_scenes, tuning, threads);
  results.gain = sweep_gain(tuning_scenes, tuning, threads);
  results.steps = sweep_steps(tuning_scenes, tuning, threads);
  const int few = std::max(2, options.motions / 5);
  for (const int spheres : {1, 5, 8}) {
    const std::vector<PlannedScene> scenes =
        draw_scenes({.spheres = spheres, .seed = options.seed}, options.scenes, &results.passed_over);
    Setting& setting = results.settings.emplace_back(Setting{.spheres = spheres});
    setting.result = run_scenes(scenes, {.amplitude = tuned_displacement, .count = few, .first_seed = options.seed},
                                compared_rules(), true, threads);
  }
  for (const int pieces : {2, 8, 16}) {
    Setting& setting = results.settings.emplace_back(Setting{.pieces = pieces});
    setting.result = run_scenes(
        results.scenes, {.amplitude = tuned_displacement, .count = few, .first_seed = options.seed, .pieces = pieces},
        compared_rules(), true, threads);
  }
  results.pushes = run_pushes(results.scenes, {.amplitude = 0.1, .count = few, .first_seed = options.seed}, 0.1);
  for (const NamedRule& rule : compared_rules())
    results.times.push_back(time_of(results.scenes.front(), rule.name, rule.options, options.motions));
  FrameRuleOptions converged = remapping();
  converged.iterations = 50;
  results.times.push_back(
      time_of(results.scenes.front(), std::string(remapped).append(", to convergence"), converged, options.motions));
  return results;
}

}  // namespace studies::spheres
