// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/fluidic_grab/realization.hpp"
#include "examples/fluidic_grab/setup.hpp"
#include "quoin/identification/iterative_learning.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::grab {

/// What an experiment of Table 3 asks for.
struct SetUp {
  std::string name;
  Eigen::Vector2d goal;
  Eigen::Vector3d limits;
  int attempts;
};
/// Four of them, as the paper's: the first two at other torques than the last two, goals that differ within both pairs.
const std::vector<SetUp>& set_ups();

/// What is known before the first plan, besides masses (to 1 g) and cylinders: stiffness, damping, actuators and delay
/// are those of `nominal_system`, or identified from a run of waves.
enum class Beginning { nominal, identified };

/// A machine in the laboratory, with what is known of it.
struct Machine {
  Machine(unsigned seed, Beginning beginning);

  fluidic_arm::FluidicSystem truth;
  fluidic_arm::FluidicPlant plant;
  fluidic_arm::FluidicSystem first;   ///< known before the first plan
  fluidic_arm::FluidicSystem model;   ///< the last identified
  std::vector<Recording> recordings;  ///< that it was identified from
};

struct LearnedGrab {
  Realization policy;  ///< of the last plan that was run, or refused
  GrabPlan plan;
  GrabTask task;            ///< of that plan: its goal may be shifted from the set-up's
  bool met = false;         ///< in a run
  int identifications = 0;  ///< that runs before the last gave
  int plans = 0, refused = 0;
  identification::LearningStop stop;
  std::vector<double> misses;     ///< of the runs, m
  std::vector<double> predicted;  ///< before them, m
};

/// Algorithm 2: at most three runs, so two identifications before the last. Plans that the cylinders are predicted to miss by more than
/// 1 cm are planned anew, from the last plan, for a goal shifted by the miss.
LearnedGrab learn_grab(Machine& machine, const SetUp& set_up, unsigned seed);

struct Attempt {
  double miss = 0;      ///< m, of the tip from the ball's middle, at the time of the grab
  double speed = 0;     ///< m/s
  Eigen::MatrixXd tip;  ///< 4 x frames: position and velocity
  bool success() const { return miss <= ball_radius; }
};
/// The policy in open loop.
Attempt attempt(Machine& machine, const LearnedGrab& grab, const Eigen::Vector2d& ball);
/// With feedback from the measured ends around the policy: a time-varying linear-quadratic regulator and filter.
Attempt attempt_with_feedback(Machine& machine, const LearnedGrab& grab, const Eigen::Vector2d& ball);

}  // namespace quoin::grab
