// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_dynamics.hpp"

#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/util/to_text.hpp"
#include "util/workspace_pool.hpp"

#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Scratch memory of one call.
struct Workspace {
  explicit Workspace(const NewtonEuler<>& made) : dynamics(made) {}

  NewtonEuler<> dynamics;
  InverseDynamicsDerivatives<double> derivatives;
  ForwardDynamicsDerivatives<double> accelerations;
};

}  // namespace

struct TreeDynamics::Pool {
  explicit Pool(NewtonEuler<> dynamics) : made(std::move(dynamics)) {}

  auto lease() { return workspaces.lease(made); }

  const NewtonEuler<> made;
  WorkspacePool<Workspace> workspaces;
};

TreeDynamics::TreeDynamics(RigidBodyTree tree, const DynamicsOptions& options)
    : pool_(std::make_shared<Pool>(NewtonEuler<>(std::move(tree), options))), joints_(pool_->made.tree().joints()) {}

const RigidBodyTree& TreeDynamics::tree() const { return pool_->made.tree(); }

void TreeDynamics::check(const VectorXd& x, const VectorXd& u) const {
  if (x.size() != 2 * joints_ || u.size() != joints_)
    throw std::invalid_argument("TreeDynamics::rate: a state of " + to_text(x.size()) + " numbers and " +
                                to_text(u.size()) + " forces instead of " + to_text(2 * joints_) + " and " +
                                to_text(joints_));
}

StepStatus TreeDynamics::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate) const {
  check(x, u);
  const Eigen::Index n = joints_;
  const auto lease = pool_->lease();
  rate.resize(2 * n);
  rate.head(n) = x.tail(n);
  if (lease->dynamics.forward_dynamics(x.head(n), x.tail(n), u, rate.tail(n)) != ForwardStatus::ok)
    return StepStatus::singular;
  return rate.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus TreeDynamics::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate, MatrixXd& df_dx,
                              MatrixXd& df_du) const {
  check(x, u);
  const Eigen::Index n = joints_;
  const auto lease = pool_->lease();
  Workspace& w = *lease;
  if (w.dynamics.forward_dynamics_derivatives(x.head(n), x.tail(n), u, w.accelerations) != ForwardStatus::ok)
    return StepStatus::singular;
  rate.resize(2 * n);
  rate << x.tail(n), w.accelerations.qdd();
  if (!rate.allFinite()) return StepStatus::not_converged;
  df_dx.setZero(2 * n, 2 * n);
  df_dx.topRightCorner(n, n).setIdentity();
  df_dx.bottomLeftCorner(n, n) = w.accelerations.dqdd_dq();
  df_dx.bottomRightCorner(n, n) = w.accelerations.dqdd_dqd();
  df_du.setZero(2 * n, n);
  df_du.bottomRows(n) = w.accelerations.dqdd_dtau();
  return df_dx.allFinite() && df_du.allFinite() ? StepStatus::ok : StepStatus::singular;
}

StepStatus TreeDynamics::inverse_dynamics(const VectorXd& q, const VectorXd& v, const VectorXd& a,
                                          VectorXd& forces) const {
  const auto lease = pool_->lease();
  forces.resize(joints_);
  lease->dynamics.inverse_dynamics(q, v, a, forces);
  return forces.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus TreeDynamics::inverse_dynamics(const VectorXd& q, const VectorXd& v, const VectorXd& a, VectorXd& forces,
                                          MatrixXd& dq, MatrixXd& dv, MatrixXd& da) const {
  const auto lease = pool_->lease();
  Workspace& w = *lease;
  w.dynamics.inverse_dynamics_derivatives(q, v, a, w.derivatives);
  forces = w.derivatives.tau();
  dq = w.derivatives.dtau_dq();
  dv = w.derivatives.dtau_dqd();
  da = w.derivatives.mass_matrix();
  return forces.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

}  // namespace quoin::rigid_body
