// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/dynamics/plant.hpp"
#include "quoin/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm {

/// Response of a system to references: SIMULATE of Algorithm 1.
struct ArmResponse {
  Eigen::MatrixXd states;   ///< 2N x frames: (q, v)
  Eigen::MatrixXd ends;     ///< 2N x frames: (x, z) of the segments' ends, m, base to tip
  Eigen::MatrixXd torques;  ///< M x frames, N m
  Eigen::MatrixXd
      jacobian;  ///< of `ends`, column-major, by SystemParameters: 2N frames x size(); empty unless requested
  StepStatus status = StepStatus::ok;  ///< why the simulation ended; the arrays have a column for each frame reached
};

struct ResponseOptions {
  double step = 4e-3;          ///< longest integrator step, fourth-order Runge-Kutta, s
  bool with_jacobian = false;  ///< exact derivatives of the numerical motion, at 7 times the cost
};

/// Simulates from rest at `initial_angles`, with inputs.col(i), mL, held from frame i to the next, frames `sample_time`
/// apart; the last column is not used. Throws std::invalid_argument for parts and sizes that do not fit.
ArmResponse simulate(const FluidicSystem& system, const Eigen::VectorXd& initial_angles, const Eigen::MatrixXd& inputs,
                     double sample_time, const ResponseOptions& options = {});

/// The bend angles, within +-limit, rad, whose ends lie closest to the measured ones, 2N: the initial state of
/// Algorithm 1. Found segment by segment, then for all at once (Gauss-Newton).
Eigen::VectorXd angles_of_ends(const FluidicArm& arm, const Eigen::VectorXd& ends, double limit = 3);

}  // namespace quoin::fluidic_arm
