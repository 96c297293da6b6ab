// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/discrete.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>

/// Tasks whose best controllers are known.
namespace quoin::planning::test {

/// A mass on a line, x = (place, speed), pushed by u towards the origin, at a cost of 1/2 (|x|^2 + u^2) per step. It
/// fails beyond `edge`.
struct Mass {
  double step_size = 0.2;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next.resize(2);
    next << x[0] + step_size * x[1], x[1] + step_size * u[0];
    return StepStatus::ok;
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    dx.resize(2, 2);
    dx << 1, step_size, 0, 1;
    du.resize(2, 1);
    du << 0, step_size;
    return step(x, u, next);
  }
};

struct ToTheOrigin {
  double edge = 5;
  int steps = 40;
  int observation_size() const { return 2; }
  int action_size() const { return 1; }
  int episode_steps() const { return steps; }
  double reward_of_failure() const { return -50; }
  Eigen::VectorXd start(std::mt19937_64& random) const {
    std::uniform_real_distribution<double> place(-1, 1);
    return Eigen::Vector2d(place(random), place(random));
  }
  void observe(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> observation) const { observation = x; }
  void control(const Eigen::VectorXd& action, Eigen::VectorXd& u) const { u = action; }
  double reward(const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Eigen::VectorXd&) const {
    return -0.5 * (x.squaredNorm() + u.squaredNorm());
  }
  bool failed(const Eigen::VectorXd& x) const { return std::abs(x[0]) > edge; }
};

/// The gain of the best linear controller of Mass, u = -gain x, over an endless horizon.
inline Eigen::RowVector2d best_gain(const Mass& mass) {
  Eigen::Matrix2d A, P = Eigen::Matrix2d::Identity();
  A << 1, mass.step_size, 0, 1;
  const Eigen::Vector2d B(0, mass.step_size);
  Eigen::RowVector2d gain;
  for (int i = 0; i < 1000; ++i) {
    gain = B.transpose() * P * A / (1 + B.dot(P * B));
    P = Eigen::Matrix2d::Identity() + A.transpose() * P * (A - B * gain);
  }
  return gain;
}

}  // namespace quoin::planning::test
