// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/grab_plan.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

namespace studies::grab {

/// What the actuators make of a plan (section 5.2.2 of the paper): references for the cylinders, and what the model
/// expects to come of them.
struct Realization {
  Eigen::MatrixXd references;      ///< 3 x frames, mL, within what cylinders take
  Eigen::MatrixXd wanted_volumes;  ///< 3 x frames, mL: Eq. 28 of the plan's torques
  Eigen::MatrixXd states;          ///< 8 x frames, of the arm
  Eigen::Index grab_frame = 0;     ///< when the tip should be at the goal
  double lead = 0;                 ///< s: the plan begins when what is asked at time 0 reaches the arm
  Eigen::Vector2d predicted_tip = Eigen::Vector2d::Zero();
  double predicted_miss = 0;  ///< m, of the goal; infinite if the simulation did not come to the grab
  double volume_error = 0;    ///< largest, mL: what the cylinders cannot follow
};

/// Eqs. 28 to 30: volumes by the real cube root (or with a linear term), references by the cylinders' models.
Realization invert_actuators(const fluidic_arm::FluidicSystem& model, const GrabTask& task,
                             const planning::CollocationPlan& plan, const Eigen::Vector2d& goal);

}  // namespace studies::grab
