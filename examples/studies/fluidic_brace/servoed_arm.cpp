// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/servoed_arm.hpp"

#include <algorithm>
#include <cmath>

namespace studies::brace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double BallSkin::place_on_ball(const fluidic_arm::FluidicArm& arm, const VectorXd& q) const {
  const Eigen::Vector2d apart = arm.point(q, segment, 1) - ball;
  // A turn of the arm rolls its skin back along the ball.
  return distance * std::atan2(apart.y(), apart.x()) - arm_radius * q.head(segment + 1).sum();
}

void ServoedArm::settle(const VectorXd& x) {
  if (!skin_) return;
  const VectorXd q = x.head(control_size());
  const double depth = std::max(0., skin_->distance - (arm_->point(q, skin_->segment, 1) - skin_->ball).norm());
  const double most = skin_->friction * skin_->stiffness * depth / skin_->shear_stiffness;  // shear, m
  const double place = skin_->place_on_ball(*arm_, q);
  skin_->anchor = std::clamp(skin_->anchor, place - most, place + most);
}

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
  // Derivatives by the bends of the end's height above the ball and of the skin's place on it.
  const VectorXd rise = dp.transpose() * normal;
  VectorXd slide = skin_->distance / apart.norm() * dp.transpose() * tangent;
  slide.head(skin_->segment + 1).array() -= skin_->arm_radius;
  const double most = skin_->friction * normal_force;
  const double shear = skin_->shear_stiffness * (skin_->place_on_ball(*arm_, x.head(n)) - skin_->anchor);
  forces = normal_force * rise - std::clamp(shear, -most, most) * slide;
  if (df_dx)
    df_dx->leftCols(n) =
        -skin_->stiffness * rise * rise.transpose() - skin_->shear_stiffness * slide * slide.transpose();
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
