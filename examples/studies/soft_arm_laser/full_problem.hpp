// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::laser {

template <int SpaceDim>
soft_arm::FullDynamics<SpaceDim> full_dynamics(const Arm<SpaceDim>& arm);

/// [tip; layer before] of the positions of all vertices.
template <int SpaceDim>
Eigen::VectorXd tip_outputs(const Arm<SpaceDim>& arm, const Eigen::VectorXd& positions);

/// The laser problem as functions of all controls, on Eq. 2: the same sum of squares and the same constraints as on
/// Eq. 8. Unknowns: controls u_0, ..., u_{K-1}, one after the other. Residuals: the spots while the laser is on, the
/// controls, their changes. Constraints: of each ball after each step.
template <int SpaceDim>
class FullProblem {
 public:
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  FullProblem(const Arm<SpaceDim>& arm, bool with_obstacles);

  Eigen::Index unknowns() const { return lines * setup_.steps; }
  long steps() const { return steps_; }  ///< of Eq. 2 taken so far, derivatives not counted

  bool residuals(const Eigen::VectorXd& U, Eigen::VectorXd& r, Eigen::VectorXd& h);
  bool jacobians(const Eigen::VectorXd& U, const std::vector<Eigen::Index>& active, Eigen::VectorXd& r,
                 Eigen::MatrixXd& J, Eigen::VectorXd& h, Eigen::MatrixXd& H);

 private:
  bool roll_out(const Eigen::VectorXd& U);

  const Setup setup_;
  soft_arm::FullDynamics<SpaceDim> dynamics_;
  Eigen::VectorXd rest_;
  Eigen::MatrixXd tip_rows_;  // of positions
  std::vector<Ball> balls_;
  soft_arm::FullTrajectory motion_;
  Eigen::VectorXd moved_by_;  // the controls of the motion
  long steps_ = 0;
};

extern template class FullProblem<2>;
extern template class FullProblem<3>;

}  // namespace studies::laser
