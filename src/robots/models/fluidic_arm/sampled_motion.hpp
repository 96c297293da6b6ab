// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/fluidic_arm/fluidic_system.hpp"
#include "quoin/robots/models/fluidic_arm/volume_history.hpp"

#include <Eigen/Core>

#include <array>

namespace quoin::fluidic_arm {

/// Of the error of a step and of that of the ends by all errors so far, m.
struct MotionTolerances {
  double step, motion;
};

/// The motion of a system from rest, sample by sample, by classical Runge-Kutta steps whose length follows their error:
///
///     e = h (k4 - k5) / 10,    k5 = f(x'),
///
/// is the difference between the step and an embedded one of third order; k5 is the next step's k1, so that e costs
/// nothing. Where L |e_q|, with L the arm's length, exceeds a tolerance the step is halved and tried again; where it is
/// far below, the next one is twice as long, up to the longest. A step past the stability limit, |h eigenvalue| = 2.8,
/// soon has an e beyond any tolerance, so that this also keeps every step stable, whatever the fastest mode is.
///
/// What a tolerance for steps cannot see is a motion that magnifies errors, as a lightly damped arm does that whips
/// about. So the sum of all e is carried along the linearized motion. It is mostly 3 to 10 times the true error (0.4 to
/// 10 times with friction): where it moves an end by more than is allowed, the motion ends with `not_converged`.
class SampledMotion {
 public:
  static constexpr int most_halvings = 8;  ///< of the longest step; if they do not suffice the motion ends

  /// Arguments: checked by the caller. Refers to the system.
  SampledMotion(const FluidicSystem& system, const Eigen::VectorXd& initial_angles, double sample_time,
                double longest_step);

  const FluidicArm& arm() const { return arm_; }
  const Eigen::VectorXd& state() const { return x_; }
  const Eigen::VectorXd& torques();  ///< that act now

  /// Holds a reference for one sample. If S, the state's derivative by SystemParameters, is given it moves along.
  /// Unless the status is ok, the state is no longer at a frame.
  StepStatus advance(const Eigen::VectorXd& reference, Eigen::MatrixXd* S);

 private:
  const Eigen::VectorXd& torques(double time);
  StepStatus attempt(double time, double h);
  StepStatus carry_errors(double time);
  double step_error() const;  // L |e_q|, m
  StepStatus differentiate(double time, double h, Eigen::MatrixXd& S);
  StepStatus rate_derivatives(double time, const Eigen::VectorXd& x, Eigen::MatrixXd& F);

  const FluidicSystem& system_;
  FluidicArm arm_;
  SystemParameters layout_;
  VolumeHistory history_;
  double sample_time_;
  MotionTolerances tolerances_;
  long longest_per_sample_;
  long samples_ = 0;
  int halvings_ = 0, steps_since_carried_ = 0;
  Eigen::VectorXd x_, next_, volumes_, rates_, torques_;
  Eigen::VectorXd error_, new_errors_, carried_errors_;  // of the last attempt; since errors were carried; before
  double since_carried_ = 0;                             // s
  std::array<Eigen::VectorXd, 5> k_;                     // k_[0] is the rate at x_, once the motion has begun
  Eigen::MatrixXd df_dx_, df_du_, forcing_;
};

}  // namespace quoin::fluidic_arm
