// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/grab_plan.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

namespace studies::grab {

/// The realization of a plan by the actuators (section 5.2.2 of the paper): references for the cylinders, and the
/// response that the model predicts.
struct Realization {
  Eigen::MatrixXd references;      ///< 3 x frames, mL, within the range of the cylinders
  Eigen::MatrixXd wanted_volumes;  ///< 3 x frames, mL: Eq. 28 of the plan's torques
  Eigen::MatrixXd states;          ///< 8 x frames, of the arm
  Eigen::Index grab_frame = 0;     ///< when the tip should be at the goal
  double lead = 0;                 ///< s: the plan begins when a reference of time 0 reaches the arm
  Eigen::Vector2d predicted_tip = Eigen::Vector2d::Zero(), predicted_velocity = Eigen::Vector2d::Zero();
  double predicted_distance = 0;  ///< m, from the goal; infinite if the simulation did not reach the time of the grab
  /// The larger of distance and speed, in units of what the paper's plans may miss: 1 cm and 2 cm/s.
  double predicted_miss = 0;
  double volume_error = 0;  ///< largest error, mL, of the volumes that the cylinders reach
};

/// Eqs. 28 to 30: volumes by the real cube root (or with a linear term), references by the cylinders' models.
Realization invert_actuators(const fluidic_arm::FluidicSystem& model, const GrabTask& task,
                             const planning::CollocationPlan& plan, const Eigen::Vector2d& goal);

}  // namespace studies::grab
