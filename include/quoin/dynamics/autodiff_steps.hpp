// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/autodiff.hpp"
#include "quoin/core/fit_size.hpp"
#include "quoin/dynamics/status_of_call.hpp"
#include "quoin/dynamics/step_status.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin {

/// Steps with derivatives from a function that is written for any number: a DiscreteDynamics. f(x, u, next) takes
/// vectors of n and m numbers and fills one of n; where there is no step it throws DomainError or CornerFailure, as
/// maps do.
///
///   const quoin::AutodiffSteps pendulum(2, 1, [&](const auto& x, const auto& u, auto& next) {
///     next[1] = x[1] + 0.05 * (u[0] - 9.81 * sin(x[0]));
///     next[0] = x[0] + 0.05 * next[1];
///   });
template <class F>
class AutodiffSteps {
 public:
  AutodiffSteps(Eigen::Index state_size, Eigen::Index control_size, F f)
      : state_size_(state_size), control_size_(control_size), f_(std::move(f)) {}

  Eigen::Index state_size() const { return state_size_; }
  Eigen::Index control_size() const { return control_size_; }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    fit_size(next, state_size_);
    return status_of_call([&] { f_(x, u, next); });
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index count = state_size_ + control_size_;
    const VectorOf<Dual> states = variables(x, 0, count), controls = variables(u, state_size_, count);
    VectorOf<Dual> duals(state_size_);
    const StepStatus status = status_of_call([&] { f_(states, controls, duals); });
    if (status != StepStatus::ok) return status;
    next = values_of(duals);
    dnext_dx = derivatives_of(duals, 0, state_size_);
    dnext_du = derivatives_of(duals, state_size_, control_size_);
    return StepStatus::ok;
  }

 private:
  Eigen::Index state_size_, control_size_;
  F f_;
};

}  // namespace quoin
