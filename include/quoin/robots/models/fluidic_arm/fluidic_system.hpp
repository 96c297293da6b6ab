// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/linear_system.hpp"
#include "quoin/robots/models/fluidic_arm/cubic_actuator.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace quoin::fluidic_arm {

/// Cylinders, actuators and arm (section 4.1 of the paper): reference volumes u (mL, one for each actuated segment),
/// held for a sample time -> volumes V of the cylinders -> torques of the actuators, delayed by the fluid lines
///
///     tau(t) = linear V(t - delay) + cubic V(t - delay)^3       (Eq. 20; Eq. 12)
///
/// -> motion. V is zero before time 0.
struct FluidicSystem {
  ArmDescription arm;                    ///< its segments after the passive ones have actuators
  std::vector<CubicActuator> actuators;  ///< one for each actuated segment
  std::vector<LinearSystem> cylinders;   ///< as many; continuous, one input, one output, D = 0, any number of states
  double delay = 0;                      ///< t_d, s
};

/// Throws std::invalid_argument if the parts do not fit each other.
void check(const FluidicSystem& system);

/// Torques of the actuators, N m, for given volumes, mL (M).
Eigen::VectorXd actuator_torques(const FluidicSystem& system, const Eigen::VectorXd& volumes);

/// All parameters that motion may depend on, as one vector p: masses (N), stiffnesses (N), dampings (N), Coulomb
/// frictions (N), cubic (M) and linear (M) coefficients of the actuators, the delay, and the bend angles at time 0 (N),
/// where the arm starts at rest. A smaller set on which these depend linearly is identified through dp_dsmall
/// (docs/robots/fluidic_arm.md).
struct SystemParameters {
  /// N and M.
  Eigen::Index segments, actuators;

  /// Counts the segments and actuators of this system.
  explicit SystemParameters(const FluidicSystem& system)
      : segments(static_cast<Eigen::Index>(system.arm.segments.size())),
        actuators(static_cast<Eigen::Index>(system.actuators.size())) {}

  /// Index in p of the mass of a segment, from 0.
  Eigen::Index mass(Eigen::Index segment) const { return segment; }
  /// Index in p of its stiffness.
  Eigen::Index stiffness(Eigen::Index segment) const { return segments + segment; }
  /// Index in p of its damping.
  Eigen::Index damping(Eigen::Index segment) const { return 2 * segments + segment; }
  /// Index in p of its friction.
  Eigen::Index friction(Eigen::Index segment) const { return 3 * segments + segment; }
  /// Index in p of the cubic coefficient of an actuator, from 0.
  Eigen::Index cubic(Eigen::Index actuator) const { return 4 * segments + actuator; }
  /// Index in p of its linear coefficient.
  Eigen::Index linear(Eigen::Index actuator) const { return 4 * segments + actuators + actuator; }
  /// Index in p of the delay.
  Eigen::Index delay() const { return 4 * segments + 2 * actuators; }
  /// Index in p of the angle at time 0 of a segment.
  Eigen::Index angle(Eigen::Index segment) const { return delay() + 1 + segment; }
  /// Of p.
  Eigen::Index size() const { return angle(segments); }

  /// m1, ..., k1, ..., b1, ..., f1, ..., c2, ..., l2, ... (numbered by segment; passive ones come first), t_d,
  /// theta1(0), ...
  std::vector<std::string> names() const;

  /// p of this system and these angles, N, rad.
  Eigen::VectorXd read(const FluidicSystem& system, const Eigen::VectorXd& initial_angles) const;
  /// The system with the numbers of p; its other properties stay.
  FluidicSystem write(const FluidicSystem& system, const Eigen::VectorXd& p) const;
};

}  // namespace quoin::fluidic_arm
