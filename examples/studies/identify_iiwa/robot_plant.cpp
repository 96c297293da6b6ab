// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/robot_plant.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace studies::iiwa {
namespace {

using Eigen::VectorXd;

constexpr double fastest = 100;  // rad/s, beyond which the robot counts as lost

rigid_body::DynamicsOptions dynamics_options(const PlantOptions& options) {
  return {.friction = options.friction, .friction_velocity = options.friction_velocity};
}

}  // namespace

RobotPlant::RobotPlant(rigid_body::RigidBodyTree tree, const PlantOptions& options, std::uint64_t seed)
    : options_(options), dynamics_(std::move(tree), dynamics_options(options)), random_(seed) {
  start(VectorXd::Zero(this->tree().joints()), VectorXd::Zero(this->tree().joints()));
}

void RobotPlant::start(const VectorXd& q, const VectorXd& qd) {
  q_ = q;
  qd_ = qd;
  sound_ = true;
  acting_.resize(q.size());
  dynamics_.gravity(q, acting_);
  under_way_.assign(static_cast<std::size_t>(options_.delay), acting_);
}

void RobotPlant::carry(const rigid_body::RigidBodyTree& tree) {
  dynamics_ = rigid_body::NewtonEuler<>(tree, dynamics_options(options_));
}

bool RobotPlant::command(const VectorXd& tau) {
  under_way_.push_back(tau);
  if (options_.limited)
    for (int i = 0; i < tree().joints(); ++i) {
      const double effort = tree().joint(i).effort;
      under_way_.back()[i] = std::clamp(tau[i], -effort, effort);
    }
  acting_ = under_way_.front();
  under_way_.pop_front();
  sound_ = sound_ && tau.allFinite() && q_.allFinite() && qd_.cwiseAbs().maxCoeff() < fastest;
  return sound_;
}

VectorXd RobotPlant::noisy(const VectorXd& value, double deviation) {
  if (!(deviation > 0)) return value;
  std::normal_distribution<double> noise(0, deviation);
  return value + VectorXd::NullaryExpr(value.size(), [&] { return noise(random_); });
}

Measured RobotPlant::measure() {
  return {.q = noisy(q_, options_.position_noise), .qd = noisy(qd_, options_.velocity_noise)};
}

VectorXd RobotPlant::measured_tau() { return noisy(acting_, options_.torque_noise); }

void RobotPlant::rates(const VectorXd& q, const VectorXd& qd, VectorXd& qdd) {
  if (!q.allFinite() || dynamics_.forward_dynamics(q, qd, acting_, qdd) != rigid_body::ForwardStatus::ok) {
    qdd.setConstant(std::numeric_limits<double>::quiet_NaN());
    sound_ = false;
  }
}

VectorXd RobotPlant::acceleration() {
  VectorXd qdd(q_.size());
  rates(q_, qd_, qdd);
  return qdd;
}

void RobotPlant::advance() {
  const double h = options_.control_period / options_.substeps;
  VectorXd a1(q_.size()), a2(q_.size()), a3(q_.size()), a4(q_.size());
  for (int i = 0; i < options_.substeps && sound_; ++i) {
    rates(q_, qd_, a1);
    const VectorXd v2 = qd_ + h / 2 * a1;
    rates(q_ + h / 2 * qd_, v2, a2);
    const VectorXd v3 = qd_ + h / 2 * a2;
    rates(q_ + h / 2 * v2, v3, a3);
    const VectorXd v4 = qd_ + h * a3;
    rates(q_ + h * v3, v4, a4);
    q_ += h / 6 * (qd_ + 2 * v2 + 2 * v3 + v4);
    qd_ += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

}  // namespace studies::iiwa
