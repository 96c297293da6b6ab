// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"

#include <Eigen/Core>

namespace quoin::fluidic_arm {

/// Arm, actuators and cylinders as one system: state (q, v, states of the cylinders one after the other), control u the
/// reference volumes, mL (M). The delay is left out: u acts `system.delay` later. For feedback and for plans in u
/// itself. A ContinuousDynamics.
class DrivenArm {
 public:
  /// Throws std::invalid_argument as `check(system)` does.
  explicit DrivenArm(const FluidicSystem& system);

  /// Without actuators and cylinders.
  const FluidicArm& arm() const { return arm_; }
  Eigen::Index state_size() const { return state_size_; }
  Eigen::Index control_size() const { return static_cast<Eigen::Index>(system_.actuators.size()); }
  Eigen::VectorXd volumes(const Eigen::VectorXd& state) const;  ///< mL
  Eigen::VectorXd torques(const Eigen::VectorXd& state) const;  ///< N m

  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const;

 private:
  FluidicSystem system_;
  FluidicArm arm_;
  Eigen::Index state_size_;
};

static_assert(ContinuousDynamics<DrivenArm>);

}  // namespace quoin::fluidic_arm
