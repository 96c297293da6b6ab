// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"
#include "quoin/dynamics/continuous.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// One step of the classical fourth-order Runge-Kutta method from x at `time`; x' replaces x. control(t) -> u (m) is
/// called at both ends and in the middle. Unless the status is ok, x is unspecified.
template <ContinuousDynamics Dynamics, class Control>
StepStatus runge_kutta_step(const Dynamics& dynamics, const Control& control, double time, double step,
                            Eigen::VectorXd& x) {
  Eigen::VectorXd k1, k2, k3, k4;
  const Eigen::VectorXd middle = control(time + step / 2);
  if (const auto s = dynamics.rate(x, control(time), k1); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step / 2 * k1, middle, k2); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step / 2 * k2, middle, k3); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step * k3, control(time + step), k4); s != StepStatus::ok) return s;
  x += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  return x.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

/// Continuous dynamics as a discrete one: `duration` in equal Runge-Kutta steps, the control held.
///
///     RungeKutta step(arm, 0.02, 5);                  // 20 ms in steps of 4 ms
///     step.step(x, u, next, dnext_dx, dnext_du);      // exact derivatives of the numerical step
///
/// A DiscreteDynamics. Throws std::invalid_argument unless duration and steps are positive.
template <ContinuousDynamics Dynamics>
class RungeKutta {
 public:
  RungeKutta(Dynamics dynamics, double duration, int steps = 1)
      : dynamics_(std::move(dynamics)), duration_(duration), steps_(steps) {
    if (!(duration > 0) || steps < 1)
      throw std::invalid_argument("RungeKutta: " + to_text(steps) + " steps of together " + to_text(duration) +
                                  " s; both must be positive");
  }

  Eigen::Index state_size() const { return dynamics_.state_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }
  const Dynamics& dynamics() const { return dynamics_; }
  double duration() const { return duration_; }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = x;
    const double h = duration_ / steps_;
    for (int i = 0; i < steps_; ++i)
      if (const auto s = runge_kutta_step(
              dynamics_, [&](double) -> const Eigen::VectorXd& { return u; }, i* h, h, next);
          s != StepStatus::ok)
        return s;
    return StepStatus::ok;
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = state_size();
    const double h = duration_ / steps_;
    next = x;
    dnext_dx.setIdentity(n, n);
    dnext_du.setZero(n, control_size());
    Eigen::VectorXd k, sum(n), stage;
    Eigen::MatrixXd A, B, K_x, K_u, sum_x, sum_u;
    constexpr double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int i = 0; i < steps_; ++i) {
      for (int j = 0; j < 4; ++j) {
        // The derivative of the stage's state with respect to x and u of the whole step, then that of its rate.
        stage = next;
        if (j > 0) stage += reach[j] * h * k;
        if (const auto s = dynamics_.rate(stage, u, k, A, B); s != StepStatus::ok) return s;
        Eigen::MatrixXd S_x = dnext_dx, S_u = dnext_du;
        if (j > 0) {
          S_x += reach[j] * h * K_x;
          S_u += reach[j] * h * K_u;
        }
        K_x.noalias() = A * S_x;
        K_u.noalias() = A * S_u;
        K_u += B;
        if (j == 0) {
          sum = weight[j] * k;
          sum_x = weight[j] * K_x;
          sum_u = weight[j] * K_u;
        } else {
          sum += weight[j] * k;
          sum_x += weight[j] * K_x;
          sum_u += weight[j] * K_u;
        }
      }
      next += h * sum;
      dnext_dx += h * sum_x;
      dnext_du += h * sum_u;
    }
    return next.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }

 private:
  Dynamics dynamics_;
  double duration_;
  int steps_;
};

}  // namespace quoin
