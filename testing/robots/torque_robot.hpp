// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <utility>

namespace quoin::planning::test {

/// A robot driven by torques (N m), in semi-implicit Euler steps: states (q, q'). One thread at a time.
class TorqueRobot {
 public:
  explicit TorqueRobot(rigid_body::RigidBodyTree tree, int coordinates, double duration, double damping = 0)
      : dynamics_(std::move(tree)),
        n_(coordinates),
        duration_(duration),
        damping_(damping),
        acceleration_(Eigen::VectorXd::Zero(coordinates)) {}

  Eigen::Index state_size() const { return 2 * n_; }
  Eigen::Index control_size() const { return n_; }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    const Eigen::VectorXd torque = u - damping_ * x.tail(n_);
    if (dynamics_.forward_dynamics(x.head(n_), x.tail(n_), torque, acceleration_) != rigid_body::ForwardStatus::ok)
      return StepStatus::singular;
    next.resize(2 * n_);
    next.tail(n_) = x.tail(n_) + duration_ * acceleration_;
    next.head(n_) = x.head(n_) + duration_ * next.tail(n_);
    return StepStatus::ok;
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                  Eigen::MatrixXd& du) const {
    const StepStatus status = step(x, u, next);
    if (status != StepStatus::ok) return status;
    dynamics_.inverse_dynamics_derivatives(x.head(n_), x.tail(n_), acceleration_, inverse_);
    const Eigen::LLT<Eigen::MatrixXd> mass(inverse_.mass_matrix());
    const Eigen::MatrixXd by_torque = mass.solve(Eigen::MatrixXd::Identity(n_, n_));
    dx.setIdentity(2 * n_, 2 * n_);
    dx.bottomLeftCorner(n_, n_) = -duration_ * mass.solve(inverse_.dtau_dq());
    dx.bottomRightCorner(n_, n_) -= duration_ * (mass.solve(inverse_.dtau_dqd()) + damping_ * by_torque);
    dx.topRows(n_) += duration_ * dx.bottomRows(n_);
    du.resize(2 * n_, n_);
    du.bottomRows(n_) = duration_ * by_torque;
    du.topRows(n_) = duration_ * du.bottomRows(n_);
    return StepStatus::ok;
  }
  /// The torques that hold the robot at a posture.
  Eigen::VectorXd holding(const Eigen::VectorXd& q) const {
    Eigen::VectorXd torque(n_);
    dynamics_.gravity(q, torque);
    return torque;
  }

 private:
  mutable rigid_body::NewtonEuler<> dynamics_;
  mutable rigid_body::InverseDynamicsDerivatives<double> inverse_;
  Eigen::Index n_;
  double duration_, damping_;
  mutable Eigen::VectorXd acceleration_;
};

/// Weighted controls and distances from a goal on the way, the distance alone at the end.
struct ReachState {
  Eigen::VectorXd goal;
  double effort, distance, precision;
  bool residual(int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    r.resize(u.size() + x.size());
    r << effort * u, (u.size() > 0 ? distance : precision) * (x - goal);
    return true;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dx,
                Eigen::MatrixXd& du) const {
    const Eigen::Index n = x.size(), m = u.size();
    dx.setZero(n + m, n);
    dx.bottomRows(n).diagonal().setConstant(m > 0 ? distance : precision);
    du.setZero(n + m, m);
    du.topRows(m).diagonal().setConstant(effort);
    return residual(i, x, u, r);
  }
};

using ReachProblem = TrajectoryProblem<const TorqueRobot&, ReachState>;

/// An iiwa 7, held at one posture, is to rest in another after 2 s, within the limits of its motors. Its tree: of
/// examples/data/iiwa7.urdf, in steps of 0.02 s.
inline ReachProblem iiwa_reach(const TorqueRobot& iiwa) {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(14), goal = start, limit(7);
  start.head(7) << 0.1, 0.7, 0, -1, 0, 0.5, 0;
  goal.head(7) << 1.2, -0.4, 0.6, 0.8, -0.7, -0.6, 0.5;
  limit << 88, 88, 55, 55, 55, 20, 20;
  return {.dynamics = iiwa,
          .residuals = {.goal = goal, .effort = 0.01, .distance = 0.05, .precision = 30},
          .horizon = 100,
          .initial_state = start,
          .lower_control = -limit,
          .upper_control = limit};
}

}  // namespace quoin::planning::test
