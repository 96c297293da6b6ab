// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"

#include <Eigen/Core>

namespace studies::grab {

/// How torques enter a plan.
enum class TorqueForm {
  free,  ///< as in the paper: they are the controls, and may jump
  rates  ///< their rates are the controls: what cylinders can follow
};

/// Bringing the tip to a goal where it cannot rest, with almost no speed (section 5 of the paper).
struct GrabTask {
  Eigen::Vector2d goal;
  Eigen::Vector3d limits;                              ///< of the torques, N m
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< of the tip at the goal, m/s: speeds below are off it
  double duration = 1.5;                               ///< s
  int intervals = 50;
  double effort = 0.1;                 ///< R
  double speed_weight = 1;             ///< of the squared speed of the tip at the end, s^2/m^2
  double rate_effort = 1e-3;           ///< of squared torque rates, times R, s^2
  double rate_limit = 2;               ///< N m / s
  double position_tolerance = 0.0095;  ///< m; the paper's is 1 cm, less what a replay may add
  double speed_tolerance = 0.018;      ///< m/s; 2 cm/s
  TorqueForm torques = TorqueForm::rates;
  planning::CollocationScheme scheme = planning::CollocationScheme::hermite_simpson;
  int max_iterations = 500;  ///< of Ipopt: a watchdog that a busy machine does not move
};

struct GrabPlan {
  planning::CollocationPlan plan;
  double seconds = 0;  ///< of processor time
  // Of a replay that integrates finely with the plan's torques:
  Eigen::Vector2d tip = {};
  double miss = 0;   ///< m
  double speed = 0;  ///< of the tip at the end, m/s
};

/// The problem of Eqs. 25 to 27, from rest.
planning::CollocationProblem grab_problem(const fluidic_arm::FluidicArm& arm, const GrabTask& task);

/// Solves it from a random start: a straight line to a random pose, random torques.
GrabPlan plan_grab(const fluidic_arm::FluidicArm& arm, const GrabTask& task, unsigned start);
/// Solves it from an earlier plan of the same form.
GrabPlan plan_grab(const fluidic_arm::FluidicArm& arm, const GrabTask& task, const planning::CollocationPlan& guess);

/// The state in a plan of either form: bend angles and their rates (8), torques (3), at a time.
Eigen::VectorXd arm_state(const GrabTask& task, const planning::CollocationPlan& plan, double time);
Eigen::VectorXd torques(const GrabTask& task, const planning::CollocationPlan& plan, double time);

}  // namespace studies::grab
