// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/realizable_planner.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"
#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <limits>
#include <string>
#include <vector>

namespace studies::grab {

/// The set-up of an experiment of Table 3.
struct SetUp {
  std::string name;
  Eigen::Vector2d goal;
  Eigen::Vector3d limits;
  int attempts = 1;
};
/// The planning task of a set-up.
GrabTask task_of(const SetUp& set_up);
/// Four of them, as in the paper: the first two and the last two at different torques, with
/// different goals within each pair.
const std::vector<SetUp>& set_ups();

/// The model before the first plan, apart from masses (to 1 g) and cylinders: stiffness, damping, actuators and delay
/// are those of `nominal_system`, or identified from a run of waves.
enum class Beginning { nominal, identified };

/// A machine in the laboratory, with its model.
struct Machine {
  Machine(unsigned seed, Beginning beginning);

  fluidic_arm::FluidicSystem truth;
  fluidic_arm::FluidicPlant plant;
  fluidic_arm::FluidicSystem model;   ///< of the last identification
  bool converged = true;              ///< in the last identification
  std::vector<Recording> recordings;  ///< on which it was identified
};

struct LearnedGrab {
  // Of the last run; no references if there was no run:
  Realization policy;
  GrabPlan plan;
  GrabTask task;  ///< of that plan: its goal may be shifted from the set-up's

  bool met = false;         ///< in a run
  int identifications = 0;  ///< before the last plan
  int plans = 0, refused = 0;
  identification::LearningStop stop = {};
  std::vector<double> misses;     ///< of the runs, m
  std::vector<double> speeds;     ///< of the tip at the time of the grab in these runs, m/s
  std::vector<double> predicted;  ///< before these runs, m
};

/// Algorithm 2: at most four runs, so three identifications before the last; a `RealizablePlanner` plans. The last run
/// is identified too, for the feedback and the next set-up. A run meets the goal within three quarters of what a grab
/// may miss, so that a run that was lucky does not end the learning.
inline constexpr int max_runs = 4;
inline constexpr double learning_margin = 0.75;
LearnedGrab learn_grab(Machine& machine, const SetUp& set_up, unsigned seed);

struct Attempt {
  double miss = std::numeric_limits<double>::quiet_NaN();  ///< m, of the tip from the ball's middle, at the time of the
                                                           ///< grab; not a number if nothing could be run
  double speed = std::numeric_limits<double>::quiet_NaN();  ///< m/s
  Eigen::MatrixXd tip = {};                                 ///< 4 x frames: position and velocity
  bool success(double allowed = max_speed) const { return miss <= ball_radius && speed <= allowed; }
};
/// Runs the policy in open loop.
Attempt attempt(fluidic_arm::FluidicPlant& plant, const LearnedGrab& grab, const Eigen::Vector2d& ball);
/// Runs the policy with feedback from the measured ends: a time-varying linear-quadratic regulator and filter.
Attempt attempt_with_feedback(Machine& machine, const LearnedGrab& grab, const Eigen::Vector2d& ball);

}  // namespace studies::grab
