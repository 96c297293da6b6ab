// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <deque>
#include <random>

namespace studies::iiwa {

struct PlantOptions {
  rigid_body::Friction friction = rigid_body::Friction::none;
  double friction_velocity = 0.05;  ///< rad/s, where Coulomb friction has risen to tanh(1)
  double control_period = 0.004;    ///< s, for which torques are held
  int substeps = 4;                 ///< of fourth-order Runge-Kutta in a period
  int delay = 0;                    ///< periods until a torque acts
  double position_noise = 0;        ///< standard deviations of measurements: rad
  double velocity_noise = 0;        ///< rad/s
  double torque_noise = 0;          ///< N m
  bool limited = true;              ///< torques are limited to the joints' effort limits
};

/// The readings of the joints' sensors.
struct Measured {
  Eigen::VectorXd q, qd;
};

/// The simulated robot: it may have friction, delay, noise and masses that the controller's model does not have.
class RobotPlant {
 public:
  RobotPlant(rigid_body::RigidBodyTree tree, const PlantOptions& options, std::uint64_t seed);

  void start(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  /// Changes the masses from here on, as when something is picked up.
  void carry(const rigid_body::RigidBodyTree& tree);

  /// Commands the controller's torques for this period; the acting ones may be older. False once the robot is lost.
  bool command(const Eigen::VectorXd& tau);
  Measured measure();
  Eigen::VectorXd measured_tau();  ///< of the torques acting since the last command
  /// Advances by one control period.
  void advance();

  const Eigen::VectorXd& q() const { return q_; }
  const Eigen::VectorXd& qd() const { return qd_; }
  const Eigen::VectorXd& tau() const { return acting_; }
  Eigen::VectorXd acceleration();  ///< under the acting torques
  const PlantOptions& options() const { return options_; }
  const rigid_body::RigidBodyTree& tree() const { return dynamics_.tree(); }

 private:
  Eigen::VectorXd noisy(const Eigen::VectorXd& value, double deviation);
  void rates(const Eigen::VectorXd& q, const Eigen::VectorXd& qd, Eigen::VectorXd& qdd);

  PlantOptions options_;
  rigid_body::NewtonEuler<> dynamics_;
  Eigen::VectorXd q_, qd_, acting_;
  std::deque<Eigen::VectorXd> under_way_;
  std::mt19937_64 random_;
  bool sound_ = true;
};

}  // namespace studies::iiwa
