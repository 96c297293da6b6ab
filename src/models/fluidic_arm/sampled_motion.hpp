// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/models/fluidic_arm/fluidic_system.hpp"
#include "quoin/models/fluidic_arm/volume_history.hpp"

#include <Eigen/Core>

#include <array>

namespace quoin::fluidic_arm {

/// The motion of a system from rest, sample by sample, by classical Runge-Kutta steps whose length follows their error:
///
///     e = L |h (k4 - k5)_q| / 10,    k5 = f(x'),
///
/// with L the arm's length, is what the arm's end moves by between the step and an embedded one of third order; k5 is
/// the next step's k1, so that e costs nothing. Where e exceeds the tolerance the step is halved and tried again; where
/// it is far below, the next one is twice as long, up to the longest. A step past the stability limit, |h eigenvalue| =
/// 2.8, soon has an e beyond any tolerance, so that this also keeps every step stable, whatever the fastest mode is.
class SampledMotion {
 public:
  static constexpr int most_halvings = 8;  ///< of the longest step; if they do not suffice the motion ends

  /// Arguments: checked by the caller. Refers to the system.
  SampledMotion(const FluidicSystem& system, const Eigen::VectorXd& initial_angles, double sample_time,
                double longest_step);

  const FluidicArm& arm() const { return arm_; }
  const Eigen::VectorXd& state() const { return x_; }
  const Eigen::VectorXd& torques();  ///< that act now

  /// Holds a reference for one sample. If S, the state's derivative by SystemParameters, is given it moves along. Unless
  /// the status is ok, the state is no longer at a frame.
  StepStatus advance(const Eigen::VectorXd& reference, Eigen::MatrixXd* S);

 private:
  const Eigen::VectorXd& torques(double time);
  StepStatus attempt(double time, double h);
  StepStatus differentiate(double time, double h, Eigen::MatrixXd& S);
  StepStatus rate_derivatives(double time, const Eigen::VectorXd& x, Eigen::MatrixXd& F);

  const FluidicSystem& system_;
  FluidicArm arm_;
  SystemParameters layout_;
  VolumeHistory history_;
  double sample_time_, tolerance_;
  double error_ = 0;  // e of the last attempt
  long longest_per_sample_;
  long samples_ = 0;
  int halvings_ = 0;
  Eigen::VectorXd x_, next_, volumes_, rates_, torques_;
  std::array<Eigen::VectorXd, 5> k_;  // k_[0] is the rate at x_, once the motion has begun
  Eigen::MatrixXd df_dx_, df_du_, forcing_;
};

}  // namespace quoin::fluidic_arm
