// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_study.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/progress.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <iostream>
#include <random>
#include <stdexcept>

namespace studies::brace {

using Eigen::VectorXd;
using fluidic_arm::FluidicArm;
using fluidic_arm::Segment;
using fluidic_arm::StaticPose;

namespace {

struct NamedPlant {
  std::string name;
  fluidic_arm::ArmDescription arm;
};

std::vector<NamedPlant> plants_of(const BraceScene& scene, const StudyChoice& choice) {
  std::vector<NamedPlant> plants = {{"the model itself", scene.arm}};
  for (const double more : {choice.spread, -choice.spread}) {
    plants.push_back(
        {figures::format_number(100 * choice.spread, 2) + (more > 0 ? " % more mass" : " % less mass"), scene.arm});
    for (Segment& segment : plants.back().arm.segments) segment.mass *= 1 + more;
  }
  for (int i = 0; i < choice.plants; ++i) {
    const int seed = choice.seed + i;
    std::mt19937 generator(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> factor(1 - choice.spread, 1 + choice.spread);
    plants.push_back({"random " + to_text(seed), scene.arm});
    for (Segment& segment : plants.back().arm.segments) {
      segment.mass *= factor(generator);
      segment.stiffness *= factor(generator);
      segment.damping *= factor(generator);
    }
  }
  return plants;
}

PlantRuns run_plant(const SceneSearch& search, const VectorXd& start, const NamedPlant& named,
                    const MotionOptions& options) {
  const FluidicArm plant(named.arm);
  const StaticPose& pose = search.brace().pose;
  const VectorXd& plan = search.brace().found.z;
  const auto with = [&](Hold hold, bool forward, bool replan) {
    MotionOptions chosen = options;
    chosen.hold = hold;
    chosen.forward = forward;
    chosen.replan = replan;
    return chosen;
  };
  const auto freely = [&](bool forward, bool corrected) {
    return move_freely(search.scene, plant, start, search.free_pose, search.free.z,
                       with(Hold::contact, forward, corrected));
  };
  const auto braced = [&](Hold hold, bool forward, bool replan) {
    return move_braced(search.scene, plant, start, pose, plan, with(hold, forward, replan));
  };
  BraceScene slippery = search.scene;
  slippery.friction = 0;
  const auto by_servo = [&](bool forward) {
    return ServoRuns{.free = freely(forward, false),
                     .contact = braced(Hold::contact, forward, true),
                     .damping = braced(Hold::damping, forward, true)};
  };
  return {.plant = named.name,
          .planned = by_servo(true),
          .alone = by_servo(false),
          .corrected = freely(true, true),
          .not_replanned = braced(Hold::contact, true, false),
          .frictionless = move_braced(slippery, plant, start, pose, plan, with(Hold::contact, true, true))};
}

}  // namespace

SceneSearch search_brace(const BraceScene& scene, int starts, int seed) {
  const FluidicArm arm(scene.arm);
  SceneSearch search{.scene = scene, .free_pose = StaticPose(arm, pose_task(scene, -1))};
  search.free = find_pose(search.free_pose, {}, {.starts = starts, .seed = seed});
  const int segments = static_cast<int>(arm.coordinates());
  for (int n = 1; n < segments; ++n) {
    search.attempts.push_back({n, StaticPose(arm, pose_task(scene, segments - n - 1))});
    Attempt& attempt = search.attempts.back();
    attempt.found = find_pose(attempt.pose, {}, {.starts = starts, .seed = seed});
    if (attempt.found.feasible && search.chosen < 0) search.chosen = n - 1;
  }
  return search;
}

VectorXd resting_pose(const SceneSearch& search) {
  const BraceScene& scene = search.scene;
  const StaticPose& planned = search.brace().pose;
  const VectorXd& plan = search.brace().found.z;
  fluidic_arm::StaticPoseTask task = pose_task(scene, -1);
  task.goal.reset();
  task.ball = scene.ball;
  task.clearance = scene.brace_distance() + 0.015;
  task.min_rotation = task.max_rotation = planned.rotation(plan);
  const StaticPose resting(planned.arm(), task);
  const PoseResult found = find_pose(resting, {}, {.starts = 0, .guess = plan.head(resting.size())});
  if (!found.feasible)
    throw std::runtime_error("no pose beside the ball to start from: " + found.violated + " missed by " +
                             to_text(found.violation));
  return resting.angles(found.z);
}

BraceResults run_study(const StudyChoice& choice) {
  BraceResults results{.choice = choice};
  {
    figures::Progress progress(std::cerr, "searching braces", 4);
    for (const BraceScene& scene : {reachable_scene(), rough_scene(), slippery_scene(), distant_scene()}) {
      // Motions need the first scene's brace, which few starts may not find.
      const int starts = results.searches.empty() ? std::max(choice.starts, 16) : choice.starts;
      results.searches.push_back(search_brace(scene, starts, choice.seed));
      progress.update(std::ssize(results.searches), scene.name);
    }
    progress.finish();
  }
  const SceneSearch& search = results.searches.front();
  if (search.chosen < 0 || !search.free.feasible)
    throw std::runtime_error("no pose found in the scene that has one; more starts with --starts");
  results.start = resting_pose(search);
  const std::vector<NamedPlant> plants = plants_of(search.scene, choice);
  constexpr std::size_t known = 3;
  figures::Progress progress(std::cerr, "moving", std::ssize(plants));
  for (std::size_t i = 0; i < plants.size(); ++i) {
    (i < known ? results.known : results.random).push_back(run_plant(search, results.start, plants[i], choice.motion));
    progress.update(static_cast<long>(i) + 1, plants[i].name);
  }
  progress.finish();
  return results;
}

}  // namespace studies::brace
