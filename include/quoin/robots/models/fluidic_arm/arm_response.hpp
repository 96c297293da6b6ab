// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/plant.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm {

/// Response of a system to references: SIMULATE of Algorithm 1.
struct ArmResponse {
  Eigen::MatrixXd states;   ///< 2N x frames: (q, v)
  Eigen::MatrixXd ends;     ///< 2N x frames: (x, z) of the segments' ends, m, base to tip
  Eigen::MatrixXd torques;  ///< M x frames, N m
  Eigen::MatrixXd
      jacobian;  ///< of `ends`, column-major, by SystemParameters: 2N frames x size(); empty unless requested
  /// Why the simulation ended; the arrays have a column for each frame reached. `not_converged`: steps 256 times
  /// shorter than the longest did not suffice, or the ends' estimated error exceeded what ResponseOptions says.
  StepStatus status = StepStatus::ok;
};

/// How finely a motion is integrated.
struct ResponseOptions {
  /// Longest integrator step, fourth-order Runge-Kutta, s. It is halved where its error asks for it, so that ends are
  /// within 1e-5 m of the exact motion or the status is not ok (docs/robots/fluidic_arm.md). Where errors are
  /// magnified, as in an arm that whips about, a shorter step may still be ok.
  double step = 4e-3;
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
