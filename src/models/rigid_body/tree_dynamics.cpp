// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/rigid_body/tree_dynamics.hpp"

#include "core/workspace_pool.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/models/rigid_body/dynamics.hpp"

#include <Eigen/LU>

#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Scratch memory of one call.
struct Workspace {
  explicit Workspace(const Dynamics<>& made) : dynamics(made) {}

  Dynamics<> dynamics;
  InverseDynamicsDerivatives<double> derivatives;
  Eigen::PartialPivLU<MatrixXd> mass;
};

}  // namespace

struct TreeDynamics::Pool {
  explicit Pool(Dynamics<> dynamics) : made(std::move(dynamics)) {}

  auto lease() { return workspaces.lease(made); }

  const Dynamics<> made;
  WorkspacePool<Workspace> workspaces;
};

TreeDynamics::TreeDynamics(RigidBodyTree tree, const DynamicsOptions& options)
    : pool_(std::make_shared<Pool>(Dynamics<>(std::move(tree), options))), joints_(pool_->made.tree().joints()) {}

const RigidBodyTree& TreeDynamics::tree() const { return pool_->made.tree(); }

StepStatus TreeDynamics::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate) const {
  const Eigen::Index n = joints_;
  if (x.size() != 2 * n || u.size() != n)
    throw std::invalid_argument("TreeDynamics::rate: a state of " + to_text(x.size()) + " numbers and " +
                                to_text(u.size()) + " forces instead of " + to_text(2 * n) + " and " + to_text(n));
  const auto lease = pool_->lease();
  rate.resize(2 * n);
  rate.head(n) = x.tail(n);
  if (lease->dynamics.forward_dynamics(x.head(n), x.tail(n), u, rate.tail(n)) != ForwardStatus::ok)
    return StepStatus::singular;
  return rate.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus TreeDynamics::rate(const VectorXd& x, const VectorXd& u, VectorXd& rate, MatrixXd& df_dx,
                              MatrixXd& df_du) const {
  if (const auto s = this->rate(x, u, rate); s != StepStatus::ok) return s;
  const Eigen::Index n = joints_;
  const auto lease = pool_->lease();
  Workspace& w = *lease;
  w.dynamics.inverse_dynamics_derivatives(x.head(n), x.tail(n), rate.tail(n), w.derivatives);
  w.mass.compute(w.derivatives.mass_matrix());
  df_dx.setZero(2 * n, 2 * n);
  df_dx.topRightCorner(n, n).setIdentity();
  df_dx.bottomLeftCorner(n, n) = -w.mass.solve(w.derivatives.dtau_dq());
  df_dx.bottomRightCorner(n, n) = -w.mass.solve(w.derivatives.dtau_dqd());
  df_du.setZero(2 * n, n);
  df_du.bottomRows(n) = w.mass.inverse();
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
