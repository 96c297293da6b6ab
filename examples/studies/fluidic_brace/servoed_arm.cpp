// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/servoed_arm.hpp"

#include <cmath>

namespace studies::brace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd ServoedArm::wanted(const VectorXd& x, const VectorXd& reference) const {
  const Index n = control_size();
  return servo_.forward + servo_.stiffness.cwiseProduct(reference - x.head(n)) - servo_.damping.cwiseProduct(x.tail(n));
}

VectorXd ServoedArm::torques(const VectorXd& x, const VectorXd& reference) const {
  return wanted(x, reference).cwiseMin(servo_.max_torque).cwiseMax(-servo_.max_torque);
}

VectorXd ServoedArm::contact_forces(const VectorXd& x, MatrixXd* df_dx) const {
  const Index n = control_size();
  VectorXd forces = VectorXd::Zero(n);
  if (df_dx) df_dx->setZero(n, 2 * n);
  if (!skin_) return forces;
  Eigen::Vector2d p;
  Eigen::Matrix2Xd dp;
  arm_->point(x.head(n), skin_->segment, 1, p, dp);
  const Eigen::Vector2d apart = p - skin_->ball;
  const double depth = skin_->distance - apart.norm();
  if (depth <= 0) return forces;
  const Eigen::Vector2d normal = apart.normalized(), tangent(-normal.y(), normal.x());
  const double normal_force = skin_->stiffness * depth;
  // Derivatives by the bends of the end's height above the ball and of the skin's sliding where it touches.
  const VectorXd rise = dp.transpose() * normal;
  VectorXd slide = dp.transpose() * tangent;
  slide.head(skin_->segment + 1).array() -= skin_->arm_radius;
  constexpr double creep = 5e-5;  // m/s
  const double speed = slide.dot(x.tail(n));
  const double most = skin_->friction * normal_force;
  forces = normal_force * rise - most * std::tanh(speed / creep) * slide;
  if (df_dx) {
    const double secant = std::abs(speed) > 1e-3 * creep ? std::tanh(speed / creep) / speed : 1 / creep;
    df_dx->leftCols(n) = -skin_->stiffness * rise * rise.transpose();
    df_dx->rightCols(n) = -most * secant * slide * slide.transpose();
  }
  return forces;
}

StepStatus ServoedArm::rate(const VectorXd& x, const VectorXd& reference, VectorXd& rate) const {
  return arm_->rate(x, torques(x, reference) + contact_forces(x, nullptr), rate);
}

StepStatus ServoedArm::rate(const VectorXd& x, const VectorXd& reference, VectorXd& rate, MatrixXd& df_dx,
                            MatrixXd& df_dreference) const {
  MatrixXd df_du;
  const VectorXd torques = this->torques(x, reference);
  MatrixXd contact;
  if (const StepStatus status = arm_->rate(x, torques + contact_forces(x, &contact), rate, df_dx, df_du);
      status != StepStatus::ok)
    return status;
  df_dx += df_du * contact;
  const Index n = control_size();
  // At a limit the true slope is zero; with it a step overshoots, saturates the other way, and never comes to rest.
  df_dreference = df_du * servo_.stiffness.asDiagonal();
  df_dx.leftCols(n) -= df_dreference;
  df_dx.rightCols(n) -= df_du * servo_.damping.asDiagonal();
  return StepStatus::ok;
}

}  // namespace studies::brace
