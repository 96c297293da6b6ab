// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm {

/// When find_equilibrium stops.
struct EquilibriumOptions {
  double tolerance = 1e-10;  ///< on the largest remaining force, N m
  int max_iterations = 200;  ///< of Newton's method
};

/// The pose that was found, or the last one tried.
struct Equilibrium {
  Eigen::VectorXd q;       ///< bend angles, N, rad
  double residual = 0;     ///< largest remaining force, N m
  int iterations = 0;      ///< of Newton's method
  bool converged = false;  ///< the residual is within the tolerance, and no stiffness is negative there
};

/// Finds the pose in which an arm rests under constant torques: a minimum of its potential energy, found downhill from
/// `guess` by Newton's method, in whose step negative stiffnesses count as positive. Where the arm rests but would not
/// stay, as upright on its base, it leaves along the direction of the most negative one. There may be several stable
/// poses, one of them lower in energy: which one is found depends on the guess. Throws std::invalid_argument for sizes
/// that do not fit, for what is not finite, and for options that are NaN or negative.
Equilibrium find_equilibrium(const FluidicArm& arm, const Eigen::VectorXd& torques, const Eigen::VectorXd& guess,
                             const EquilibriumOptions& options = {});

}  // namespace quoin::fluidic_arm
