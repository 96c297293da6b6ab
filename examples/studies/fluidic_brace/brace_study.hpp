// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_brace/brace_motion.hpp"
#include "examples/studies/fluidic_brace/brace_scene.hpp"
#include "examples/studies/fluidic_brace/pose_search.hpp"
#include "examples/studies/program/library.hpp"

#include <string>
#include <vector>

namespace studies::brace {

/// The search for a brace n segments before the last one, feasible or not.
struct Attempt {
  int n = 0;
  fluidic_arm::StaticPose pose;
  PoseResult found = {};
};

/// The solutions of Eq. 36 in a scene: without a brace, and for every n.
struct SceneSearch {
  BraceScene scene = {};
  fluidic_arm::StaticPose free_pose;
  PoseResult free = {};
  std::vector<Attempt> attempts = {};
  int chosen = -1;  ///< index of the first feasible attempt, or -1

  const Attempt& brace() const { return attempts[static_cast<std::size_t>(chosen)]; }
};

/// Motions by one servo.
struct ServoRuns {
  Motion free = {};           ///< without a brace, nothing measured
  BracedMotion contact = {};  ///< held by the ball, planned again
  BracedMotion damping = {};  ///< held by raised damping, planned again
};

/// The runs of one plant, without and with the brace.
struct PlantRuns {
  std::string plant = {};
  ServoRuns planned = {};           ///< the plan's torques added to the servo's
  ServoRuns alone = {};             ///< the servo's alone
  Motion corrected = {};            ///< with the plan's torques, without a brace, moved by what is measured halfway
  BracedMotion not_replanned = {};  ///< with the plan's torques, held by the ball
  BracedMotion frictionless = {};   ///< with the plan's torques, planned again, on a ball that is slippery
};

struct StudyChoice {
  int starts = 24;      ///< of each search; in the first scene at least 16
  int plants = 120;     ///< random ones, besides the model itself and those of more and less mass
  int seed = 11001;     ///< of the searches and the first random plant; the others follow
  double spread = 0.2;  ///< of the plants' masses, stiffnesses and dampings, uniform
  MotionOptions motion = {};
};

struct BraceResults {
  std::vector<SceneSearch> searches = {};  ///< a brace is found in the first
  Eigen::VectorXd start = {};              ///< where motions begin, N
  std::vector<PlantRuns> known = {};       ///< in the first scene: the model itself, more mass, less mass
  std::vector<PlantRuns> random = {};      ///< in the first scene
  StudyChoice choice = {};
};

SceneSearch search_brace(const BraceScene& scene, int starts, int seed);
/// The pose of least effort on the brace's side of the ball, 1.5 cm clear of it.
Eigen::VectorXd resting_pose(const SceneSearch& search);
BraceResults run_study(const StudyChoice& choice);

}  // namespace studies::brace
