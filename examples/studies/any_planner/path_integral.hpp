// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/any_planner/swim_task.hpp"
#include "examples/studies/program/library.hpp"

#include <cstdint>

namespace studies::any_planner {

/// What is sampled are angles to which a servo of the joints leads: torque = stiffness (wanted - angle) - damping rate,
/// within the limits of torques. An ideal fluid brakes no joint, and nearly all motions under sampled torques leave the
/// domain before the horizon.
struct PathIntegralOptions {
  int samples = 48;        ///< motions of an update
  int horizon = 15;        ///< wanted postures that an update looks ahead
  int hold = 5;            ///< time steps for which a wanted posture is held
  double deviation = 0.5;  ///< of the noise, rad
  double temperature = 0.1;
  double stiffness = 0.1;     ///< N m/rad
  double damping = 0.04;      ///< N m s/rad
  double way_weight = 100;    ///< of the way ahead at the horizon, 1/m
  double limit_weight = 300;  ///< of the square of an angle beyond its limit less 0.05 rad, after each step, 1/rad^2
};

/// The swim under model predictive path integral control: each posture is wanted for `hold` time steps, after an update
/// of all postures up to a receding horizon, until the goal is reached or the motion is as long as it may be. The model
/// is also what swims: the plan is judged by replaying its torques. The seed decides all but where the time runs out.
Plan control_by_path_integrals(const Task& task, const Model& model, std::uint64_t seed, const Budget& budget,
                               const PathIntegralOptions& options = {});

}  // namespace studies::any_planner
