// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// Dynamics that remember the last control, so that a cost may penalize, or a constraint bound, u_i - u_{i-1}: state
/// (x, u_prev) of size n + m, x' = g(x, u), u_prev' = u. Itself a DiscreteDynamics.
///
///   ControlMemory smooth(arm);
///   Eigen::VectorXd z0 = smooth.join(x0, u_before_the_start);
///   // in a residual: (u - z.tail(m)) * smoothness
///
/// Costs two m x m blocks of zeros and ones per step; the solvers need no second kind of cost for it.
template <class Dynamics>
  requires DiscreteDynamics<Dynamics>
class ControlMemory {
 public:
  /// Holds its own copy of the dynamics.
  explicit ControlMemory(Dynamics dynamics) : dynamics_(std::move(dynamics)) {}

  /// Those without memory.
  const Dynamics& dynamics() const { return dynamics_; }
  Eigen::Index state_size() const { return dynamics_.state_size() + dynamics_.control_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }

  /// The state (x, u_prev), n + m. Throws std::invalid_argument, with the sizes, unless x has n and last_control m
  /// numbers.
  Eigen::VectorXd join(const Eigen::VectorXd& x, const Eigen::VectorXd& last_control) const {
    if (x.size() != dynamics_.state_size() || last_control.size() != control_size()) {
      throw std::invalid_argument("ControlMemory::join: sizes are " + to_text(x.size()) + " and " +
                                  to_text(last_control.size()) + ", must be " + to_text(dynamics_.state_size()) +
                                  " and " + to_text(control_size()));
    }
    Eigen::VectorXd joined(state_size());
    joined << x, last_control;
    return joined;
  }

  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Dynamics>
  {
    dynamics_.hint(states.topRows(dynamics_.state_size()));
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    Scratch& scratch = this_threads_scratch();
    scratch.x = x.head(dynamics_.state_size());
    const StepStatus status = dynamics_.step(scratch.x, u, scratch.next);
    if (status == StepStatus::ok) join_next(scratch, u, next);
    return status;
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = dynamics_.state_size(), m = control_size();
    Scratch& scratch = this_threads_scratch();
    scratch.x = x.head(n);
    const StepStatus status = dynamics_.step(scratch.x, u, scratch.next, scratch.dx, scratch.du);
    if (status != StepStatus::ok) return status;
    join_next(scratch, u, next);
    dnext_dx.setZero(n + m, n + m);
    dnext_dx.topLeftCorner(n, n) = scratch.dx;
    dnext_du.resize(n + m, m);
    dnext_du.topRows(n) = scratch.du;
    dnext_du.bottomRows(m).setIdentity();
    return status;
  }

 private:
  struct Scratch {
    Eigen::VectorXd x, next;
    Eigen::MatrixXd dx, du;
  };
  // Steps are const and may run concurrently, and should not allocate.
  static Scratch& this_threads_scratch() {
    thread_local Scratch scratch;
    return scratch;
  }
  void join_next(const Scratch& scratch, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next.resize(state_size());
    next << scratch.next, u;
  }

  Dynamics dynamics_;
};

}  // namespace quoin
