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

/// The runs of one plant, without and with the brace.
struct PlantRuns {
  std::string plant = {};
  Motion free = {};
  Motion free_forward = {};  ///< with the plan's torques added to the servo's
  BracedMotion braced = {};  ///< held by damping, planned again
  BracedMotion braced_forward = {};
  BracedMotion not_replanned = {};
  BracedMotion touching = {};  ///< held by the ball itself
};

struct StudyChoice {
  int starts = 24;  ///< of each search
  int plants = 10;  ///< random ones, besides the model itself and those of 20 % more and less mass
  double spread = 0.2;
  MotionOptions motion = {};
};

struct BraceResults {
  std::vector<SceneSearch> searches = {};  ///< a brace is found in the first
  Eigen::VectorXd start = {};              ///< where motions begin, N
  std::vector<PlantRuns> runs = {};        ///< of the first scene; the first plant is the model itself
  double seconds = 0;                      ///< total time
};

SceneSearch search_brace(const BraceScene& scene, int starts);
/// The pose of least effort on the brace's side of the ball, 1.5 cm clear of it.
Eigen::VectorXd resting_pose(const SceneSearch& search);
BraceResults run_study(const StudyChoice& choice);

}  // namespace studies::brace
