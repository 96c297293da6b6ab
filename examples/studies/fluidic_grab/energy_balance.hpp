// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/elastic_channel.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::grab {

/// What stands between a supply and a channel: fluid that gives way, and a line that resists.
struct FluidLine {
  double residual_volume = 0;  ///< of supply and line, mL
  double bulk_modulus = 1e5;   ///< Pa: dp = bulk_modulus dV / V; of air near atmospheric pressure, isothermal: 1e5
  double resistance = 0;       ///< Pa s / mL: pressure lost for a flow
};

/// The terms of Eq. 3 at every frame of a motion, J, all 0 at the first.
struct EnergyBalance {
  Eigen::VectorXd supplied;  ///< by the supplies: integral of p_s dV_o
  Eigen::VectorXd strain;    ///< V_epsilon, of the segments' stiffnesses
  Eigen::VectorXd gravity;   ///< V_g
  Eigen::VectorXd in_lines;  ///< V_f, in the residual volumes
  Eigen::VectorXd resisted;  ///< T_r, lost by flow through the lines
  Eigen::VectorXd damped;    ///< lost by damping and friction of the segments, which Eq. 3 leaves out
  Eigen::VectorXd kinetic;   ///< T

  /// supplied less all others: what the frames' distance leaves, of its second order.
  Eigen::VectorXd residual() const { return supplied - strain - gravity - in_lines - resisted - damped - kinetic; }
};

/// Where the fluid's energy goes (Marchese, Tedrake, Rus 2015, Eq. 3), for a motion and its torques as FluidicPlant and
/// simulate() give them: states (q, v), 2N x frames, and torques, N m, M x frames, sample_time apart, s. channels: M,
/// of the actuated segments. The channels' volumes are those of Eq. 11; pressures are differences between both sides of
/// a pair, so that a volume stands for both.
///
///     const EnergyBalance energy = energy_balance(arm, channels, line, response.states, response.torques, 0.02);
///     energy.supplied, energy.strain + energy.gravity, energy.in_lines, ...      // frames
///
/// Integrals are trapezoids, and rates differences of frames: of second order in sample_time. O(frames N^2). Throws
/// std::invalid_argument for sizes that do not fit, fewer than two frames, or a line's numbers that are negative.
EnergyBalance energy_balance(const fluidic_arm::FluidicArm& arm,
                             const std::vector<fluidic_arm::ElasticChannel>& channels, const FluidLine& line,
                             const Eigen::MatrixXd& states, const Eigen::MatrixXd& torques, double sample_time);

}  // namespace studies::grab
