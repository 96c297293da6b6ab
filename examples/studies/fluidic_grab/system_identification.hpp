// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/dynamics/plant.hpp"
#include "quoin/robots/identification/output_error.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::grab {

/// References of three Bretschneider waves with a gentle start, mL, 3 x frames, clipped at `largest`.
Eigen::MatrixXd exciting_references(double duration, double largest, unsigned seed);

/// Runs references in open loop.
Recording run_references(fluidic_arm::FluidicPlant& plant, const Eigen::MatrixXd& references);

/// Each cylinder by itself, from a wave's volumes with 0.5 % noise, as a continuous system (section 4.2 of the paper).
std::vector<LinearSystem> fit_cylinders(const std::vector<LinearSystem>& truth, unsigned seed);

/// Algorithm 1 on recordings that begin at rest, nearly hanging: stiffness and damping of every segment, one Coulomb
/// friction for all, the cubic coefficient of every actuator, the delay, and the angles at which each recording begins,
/// starting from the model's values; masses (weighed) and cylinders are kept. Unlike the paper's, the cost is the sum
/// of squares, and nominal values count as measurements: a single run of 1.5 s does not tell all parameters.
struct SystemFit {
  fluidic_arm::FluidicSystem system;
  identification::OutputErrorFit fit;
};
SystemFit identify_system(const fluidic_arm::FluidicSystem& model, const std::vector<Recording>& recordings);

/// The nominal system, but with masses weighed to 1 g and cylinders identified.
fluidic_arm::FluidicSystem measured_parts(const fluidic_arm::FluidicSystem& truth, unsigned seed);

}  // namespace studies::grab
