// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm {

struct EquilibriumOptions {
  double tolerance = 1e-10;  ///< of the largest force that is left, N m
  int max_iterations = 200;
};

struct Equilibrium {
  Eigen::VectorXd q;    ///< bend angles, N, rad
  double residual = 0;  ///< the largest force that is left, N m
  int iterations = 0;
  bool converged = false;
};

/// Where an arm comes to rest under constant torques: a minimum of its potential energy, found downhill from `guess` by
/// Newton's method, damped where the energy is not convex. The arm of least energy may be another one: stable poses are
/// as many as the guesses find. Throws std::invalid_argument for sizes that do not fit.
Equilibrium find_equilibrium(const FluidicArm& arm, const Eigen::VectorXd& torques, const Eigen::VectorXd& guess,
                             const EquilibriumOptions& options = {});

}  // namespace quoin::fluidic_arm
