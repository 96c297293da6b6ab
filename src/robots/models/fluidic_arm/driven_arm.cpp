// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/driven_arm.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::fluidic_arm {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

DrivenArm::DrivenArm(const FluidicSystem& system) : system_(system), arm_(system.arm) {
  check(system);
  state_size_ = arm_.state_size();
  for (const LinearSystem& cylinder : system_.cylinders) state_size_ += cylinder.states();
}

VectorXd DrivenArm::volumes(const VectorXd& state) const {
  VectorXd all(control_size());
  Index at = arm_.state_size();
  for (Index i = 0; i < all.size(); ++i) {
    const LinearSystem& cylinder = system_.cylinders[static_cast<std::size_t>(i)];
    all[i] = (cylinder.C * state.segment(at, cylinder.states()))(0);
    at += cylinder.states();
  }
  return all;
}

VectorXd DrivenArm::torques(const VectorXd& state) const { return actuator_torques(system_, volumes(state)); }

StepStatus DrivenArm::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate) const {
  if (x.size() != state_size_ || u.size() != control_size())
    throw std::invalid_argument("DrivenArm::rate: a state of " + to_text(x.size()) + " and " + to_text(u.size()) +
                                " references; they are " + to_text(state_size_) + " and " + to_text(control_size()));
  VectorXd arm_rate;
  const StepStatus status = arm_.rate(x.head(arm_.state_size()), torques(x), arm_rate);
  if (status != StepStatus::ok) return status;
  rate.resize(state_size_);
  rate.head(arm_rate.size()) = arm_rate;
  Index at = arm_.state_size();
  for (Index i = 0; i < u.size(); ++i) {
    const LinearSystem& cylinder = system_.cylinders[static_cast<std::size_t>(i)];
    rate.segment(at, cylinder.states()) = cylinder.A * x.segment(at, cylinder.states()) + cylinder.B * u[i];
    at += cylinder.states();
  }
  return StepStatus::ok;
}

StepStatus DrivenArm::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate, MatrixXd& df_dx,
                           MatrixXd& df_du) const {
  if (const StepStatus status = this->rate(x, u, rate); status != StepStatus::ok) return status;
  const Index n = arm_.state_size();
  VectorXd arm_rate;
  MatrixXd by_state, by_torque;
  const VectorXd V = volumes(x);
  if (const StepStatus status = arm_.rate(x.head(n), torques(x), arm_rate, by_state, by_torque);
      status != StepStatus::ok)
    return status;
  df_dx.setZero(state_size_, state_size_);
  df_du.setZero(state_size_, control_size());
  df_dx.topLeftCorner(n, n) = by_state;
  Index at = n;
  for (Index i = 0; i < u.size(); ++i) {
    const LinearSystem& cylinder = system_.cylinders[static_cast<std::size_t>(i)];
    const Index states = cylinder.states();
    df_dx.block(0, at, n, states) =
        system_.actuators[static_cast<std::size_t>(i)].slope(V[i]) * by_torque.col(i) * cylinder.C;
    df_dx.block(at, at, states, states) = cylinder.A;
    df_du.block(at, i, states, 1) = cylinder.B;
    at += states;
  }
  return StepStatus::ok;
}

}  // namespace quoin::fluidic_arm
