// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <optional>
#include <utility>

namespace studies::brace {

/// A PD controller for each segment (section 6.4.1): tau = forward + stiffness (reference - q) - damping v, within the
/// limits.
struct Servo {
  Eigen::VectorXd stiffness;   ///< N m / rad; 0 leaves a segment to its forward torque
  Eigen::VectorXd damping;     ///< N m s / rad
  Eigen::VectorXd forward;     ///< N m
  Eigen::VectorXd max_torque;  ///< N m, in both directions
};

/// A ball that the end of a segment may touch: a skin that gives way in both directions, and sticks to the ball until
/// the shear is more than friction holds. Where it sticks it does not creep.
struct BallSkin {
  int segment = 0;                ///< whose end touches, counted from 0
  Eigen::Vector2d ball = {0, 0};  ///< its centre, in the arm's plane, m
  double distance = 0;            ///< between the centre and the neutral axis when they touch, m
  double arm_radius = 0;          ///< lever of the friction, m
  double stiffness = 1000;        ///< N/m
  double shear_stiffness = 1000;  ///< N/m
  double friction = 0.6;
  double anchor = 0;  ///< the place_on_ball, m, where the skin that sticks is not sheared

  /// How far along the ball's surface the skin is where the end touches, from x towards z, m.
  double place_on_ball(const fluidic_arm::FluidicArm& arm, const Eigen::VectorXd& q) const;
};

/// An arm, all segments actuated, with its servo and its contact: ContinuousDynamics whose control is the reference, N,
/// rad. The derivatives are exact away from limits and contacts. There they are those that keep a Rosenbrock step
/// stable, which is of second order with any: of torques without their limits, of a skin that sticks and whose
/// directions stay. The anchor of a skin is constant in a step, settle() moves it between steps.
class ServoedArm {
 public:
  ServoedArm(const fluidic_arm::FluidicArm& arm, Servo servo, std::optional<BallSkin> skin = {})
      : arm_(&arm), servo_(std::move(servo)), skin_(skin) {}

  Eigen::Index state_size() const { return arm_->state_size(); }
  Eigen::Index control_size() const { return arm_->coordinates(); }
  const std::optional<BallSkin>& skin() const { return skin_; }
  /// Lets the skin slide as far as its friction does not hold it, or follow an end that does not touch.
  void settle(const Eigen::VectorXd& x);
  Eigen::VectorXd torques(const Eigen::VectorXd& x, const Eigen::VectorXd& reference) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& reference, Eigen::VectorXd& rate) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& reference, Eigen::VectorXd& rate,
                  Eigen::MatrixXd& df_dx, Eigen::MatrixXd& df_dreference) const;

 private:
  Eigen::VectorXd wanted(const Eigen::VectorXd& x, const Eigen::VectorXd& reference) const;
  Eigen::VectorXd contact_forces(const Eigen::VectorXd& x, Eigen::MatrixXd* df_dx) const;

  const fluidic_arm::FluidicArm* arm_;
  Servo servo_;
  std::optional<BallSkin> skin_;
};

static_assert(ContinuousDynamics<ServoedArm>);

}  // namespace studies::brace
