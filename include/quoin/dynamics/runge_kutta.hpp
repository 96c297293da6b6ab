// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/expecting.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/dynamics/continuous.hpp"
#include "quoin/dynamics/runge_kutta_steps.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace quoin {

/// x from `time` on for `step`, by classical Runge-Kutta steps that are halved until they are as exact as the tolerance
/// asks (RungeKuttaSteps); with an infinite tolerance by one step. control(t) -> u (m). Unless the status is ok, x is
/// unspecified.
template <ContinuousDynamics Dynamics, class Control>
StepStatus runge_kutta_step(const Dynamics& dynamics, const Control& control, double time, double step,
                            Eigen::VectorXd& x, double tolerance = default_step_tolerance) {
  return RungeKuttaSteps(tolerance).advance(
      [&](int, double part, const Eigen::VectorXd& at, Eigen::VectorXd& k) {
        return dynamics.rate(at, control(time + part * step), k);
      },
      step, 1, x);
}

/// Continuous dynamics as a discrete one: `duration` in equal Runge-Kutta steps, the control held, each of them halved
/// until it is as exact as the tolerance asks (RungeKuttaSteps).
///
///     RungeKutta step(arm, 0.02, 5);                  // 20 ms in steps of at most 4 ms
///     step.step(x, u, next, dnext_dx, dnext_du);      // exact derivatives of the steps taken
///
/// An infinite tolerance leaves the steps as they are: where a coarse step is what a planner should have. Those that do
/// not resolve their motion, which those past the stability limit soon do not, are `not_converged` then.
///
/// A DiscreteDynamics. Throws std::invalid_argument unless duration, steps and tolerance are positive.
template <ContinuousDynamics Dynamics>
class RungeKutta {
 public:
  RungeKutta(Dynamics dynamics, double duration, int steps = 1, double tolerance = default_step_tolerance)
      : dynamics_(std::move(dynamics)), duration_(duration), steps_(steps), tolerance_(tolerance) {
    if (!(duration > 0) || steps < 1 || !(tolerance > 0))
      throw std::invalid_argument("RungeKutta: " + to_text(steps) + " steps of together " + to_text(duration) +
                                  " s, tolerance " + to_text(tolerance) + "; all must be positive");
  }

  Eigen::Index state_size() const { return dynamics_.state_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }
  const Dynamics& dynamics() const { return dynamics_; }
  double duration() const { return duration_; }

  /// Steps will be taken from these states.
  void expect(const Eigen::MatrixXd& states) const
    requires Expecting<Dynamics>
  {
    dynamics_.expect(states);
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = x;
    return RungeKuttaSteps(tolerance_)
        .advance([&](int, double, const Eigen::VectorXd& at, Eigen::VectorXd& k) { return dynamics_.rate(at, u, k); },
                 duration_, steps_, next);
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = state_size();
    next = x;
    dnext_dx.setIdentity(n, n);
    dnext_du.setZero(n, control_size());
    std::array<Eigen::MatrixXd, 4> A, B;
    const auto rate = [&](int stage, double, const Eigen::VectorXd& at, Eigen::VectorXd& k) {
      return stage < 4 ? dynamics_.rate(at, u, k, A[stage], B[stage]) : dynamics_.rate(at, u, k);
    };
    Eigen::MatrixXd K_x, K_u, S_x, S_u, sum_x, sum_u;
    const auto differentiate = [&](double h) {
      for (std::size_t j = 0; j < 4; ++j) {
        // The derivative of the stage's state with respect to x and u of the whole step, then that of its rate.
        S_x = dnext_dx;
        S_u = dnext_du;
        if (j > 0) {
          S_x += RungeKuttaSteps::reach[j] * h * K_x;
          S_u += RungeKuttaSteps::reach[j] * h * K_u;
        }
        K_x.noalias() = A[j] * S_x;
        K_u.noalias() = A[j] * S_u;
        K_u += B[j];
        const double weight = RungeKuttaSteps::weight[j];
        if (j == 0) {
          sum_x = weight * K_x;
          sum_u = weight * K_u;
        } else {
          sum_x += weight * K_x;
          sum_u += weight * K_u;
        }
      }
      dnext_dx += h * sum_x;
      dnext_du += h * sum_u;
    };
    return RungeKuttaSteps(tolerance_).advance(rate, duration_, steps_, next, differentiate);
  }

 private:
  Dynamics dynamics_;
  double duration_;
  int steps_;
  double tolerance_;
};

}  // namespace quoin
