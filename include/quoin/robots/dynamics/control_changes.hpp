// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/discrete.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin {

/// Dynamics whose control is the change c of the control u, which acts at once: state (x, u) of size n + m, u' = u + c,
/// x' = g(x, u'). Itself a DiscreteDynamics. Bounds of changes, which ControlMemory needs constraints for, are bounds
/// of the control here, and bounds of u are bounds of the state.
///
///   ControlChanges slow(arm);
///   TrajectoryProblem problem{.dynamics = slow, ..., .lower_control = -most, .upper_control = most};
template <class Dynamics>
  requires DiscreteDynamics<Dynamics>
class ControlChanges {
 public:
  /// Holds its own copy of the dynamics.
  explicit ControlChanges(Dynamics dynamics) : dynamics_(std::move(dynamics)) {}

  Eigen::Index state_size() const { return dynamics_.state_size() + dynamics_.control_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }

  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Dynamics>
  {
    dynamics_.hint(states.topRows(dynamics_.state_size()));
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& change, Eigen::VectorXd& next) const {
    const Eigen::VectorXd u = x.tail(control_size()) + change;
    Eigen::VectorXd moved;
    const StepStatus status = dynamics_.step(x.head(dynamics_.state_size()), u, moved);
    if (status == StepStatus::ok) join(moved, u, next);
    return status;
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& change, Eigen::VectorXd& next,
                  Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = dynamics_.state_size(), m = control_size();
    const Eigen::VectorXd u = x.tail(m) + change;
    Eigen::VectorXd moved;
    Eigen::MatrixXd dx, du;
    const StepStatus status = dynamics_.step(x.head(n), u, moved, dx, du);
    if (status != StepStatus::ok) return status;
    join(moved, u, next);
    dnext_du.resize(n + m, m);
    dnext_du << du, Eigen::MatrixXd::Identity(m, m);
    dnext_dx.setZero(n + m, n + m);
    dnext_dx.topLeftCorner(n, n) = dx;
    dnext_dx.rightCols(m) = dnext_du;
    return status;
  }

 private:
  void join(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next.resize(state_size());
    next << x, u;
  }

  Dynamics dynamics_;
};

}  // namespace quoin
