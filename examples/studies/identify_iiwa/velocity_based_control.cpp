// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/velocity_based_control.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace studies::iiwa {

VelocityBasedControl::VelocityBasedControl(rigid_body::RigidBodyTree tree, const rigid_body::Frame& frame,
                                           const Eigen::Vector3d& point, Eigen::VectorXd rest,
                                           const VelocityBasedControlOptions& options)
    : kinematics_(std::move(tree)),
      frame_(frame),
      point_(point),
      rest_(std::move(rest)),
      options_(options),
      jacobian_(6, kinematics_.tree().joints()) {
  const int n = kinematics_.tree().joints();
  const auto gain = [](double value) { return value >= 0 && std::isfinite(value); };
  if (rest_.size() != n || !rest_.allFinite() || !gain(options.position_gain) || !gain(options.posture_gain) ||
      !gain(options.damping))
    throw std::invalid_argument("VelocityBasedControl: rest of " + to_text(rest_.size()) + " joints for " + to_text(n) +
                                ", position gain " + to_text(options.position_gain) + ", posture gain " +
                                to_text(options.posture_gain) + ", damping " + to_text(options.damping) +
                                "; wanted finite numbers, none of the last three negative");
  qd_ = qdd_ = posture_ = Eigen::VectorXd::Zero(n);
}

void VelocityBasedControl::update(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, const PointReference& wanted) {
  kinematics_.jacobian(q, frame_, point_, jacobian_);
  const auto J = jacobian_.topRows<3>();
  x_ = kinematics_.pose(q, frame_) * point_;
  xd_.noalias() = J * qd;
  Eigen::Matrix3d gram = J * J.transpose();
  gram.diagonal().array() += options_.damping * options_.damping;
  const Eigen::LDLT<Eigen::Matrix3d> solve(gram);
  // J# a + (1 - J# J) b = b + J# (a - J b)
  const auto command = [&](const Eigen::Vector3d& a, Eigen::VectorXd& out) {
    const Eigen::Vector3d beyond_posture = a - J * posture_;
    out.noalias() = posture_ + J.transpose() * solve.solve(beyond_posture);
  };
  posture_ = options_.posture_gain * (rest_ - q);
  command(wanted.xd + options_.position_gain * (wanted.x - x_), qd_);
  posture_ = -options_.posture_gain * qd;
  const Eigen::Vector3d bias = kinematics_.bias_acceleration(q, qd, frame_, point_).head<3>();
  command(wanted.xdd + options_.position_gain * (wanted.xd - xd_) - bias, qdd_);
}

}  // namespace studies::iiwa
