// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/dynamics/inverse.hpp"
#include "quoin/robots/models/rigid_body/dynamics_options.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <memory>

namespace quoin::rigid_body {

/// A robot for planners: state x = (q, dq/dt), control u the forces of all n joints, N m or N.
///
///     TreeDynamics iiwa(RigidBodyTree(read_urdf("iiwa7.urdf")), {.friction = Friction::viscous});
///     planning::TrajectoryProblem problem{.dynamics = RungeKutta(iiwa, 0.02), ...};           // ilqr
///     planning::CollocationProblem problem{.dynamics = planning::node_dynamics(iiwa), ...};   // collocation
///
/// ContinuousDynamics and InverseDynamics, with exact derivatives, those of the acceleration as
/// NewtonEuler::forward_dynamics_derivatives has them, O(n^2). The planner has to enforce joint limits. Coulomb
/// friction jumps at rest, where it has no derivative: set DynamicsOptions::friction_velocity.
///
/// Safe to call from many threads: every call borrows one of the NewtonEuler that copies of this object share. Throws
/// std::invalid_argument for arguments of another size. Returns `singular` as
/// ForwardStatus says and `not_converged` where the numbers overflow.
class TreeDynamics {
 public:
  /// Copies share what they work with.
  explicit TreeDynamics(RigidBodyTree tree, const DynamicsOptions& options = {});

  /// As it was given.
  const RigidBodyTree& tree() const;
  Eigen::Index state_size() const { return 2 * joints_; }
  Eigen::Index control_size() const { return joints_; }
  Eigen::Index coordinates() const { return joints_; }
  /// n x n: a force at every joint.
  Eigen::MatrixXd actuation() const { return Eigen::MatrixXd::Identity(joints_, joints_); }

  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const;

  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces) const;
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv,
                              Eigen::MatrixXd& da) const;

 private:
  struct Pool;

  void check(const Eigen::VectorXd& x, const Eigen::VectorXd& u) const;

  std::shared_ptr<Pool> pool_;
  Eigen::Index joints_ = 0;
};

static_assert(ContinuousDynamics<TreeDynamics> && InverseDynamics<TreeDynamics>);

}  // namespace quoin::rigid_body
