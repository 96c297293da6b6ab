// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/autodiff.hpp"
#include "quoin/robots/dynamics/status_of_call.hpp"
#include "quoin/robots/dynamics/step_function.hpp"
#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>

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
class AutodiffSteps : public StepFunction<F> {
 public:
  using StepFunction<F>::StepFunction, StepFunction<F>::step;

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = this->state_size(), m = this->control_size();
    const VectorOf<Dual> states = variables(x, 0, n + m), controls = variables(u, n, n + m);
    VectorOf<Dual> duals(n);
    const StepStatus status = status_of_call([&] { this->f_(states, controls, duals); });
    if (status != StepStatus::ok) return status;
    next = values_of(duals);
    dnext_dx = derivatives_of(duals, 0, n);
    dnext_du = derivatives_of(duals, n, m);
    return StepStatus::ok;
  }
};

template <class F>
AutodiffSteps(Eigen::Index, Eigen::Index, F) -> AutodiffSteps<F>;

}  // namespace quoin
