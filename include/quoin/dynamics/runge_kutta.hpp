// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"
#include "quoin/dynamics/continuous.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// Whether a classical Runge-Kutta step of length h and the rates k1 to k4, which led to x, resolves its motion: the
/// embedded scheme with h (k2 + 2 k3) / 3, of the same rates, ends no further from x than the step began. They differ
/// by (h eigenvalue)^4 / 24 of each mode.
///
/// Steps are stable while |h eigenvalue| of df/dx is below 2.8. Of modes alone all of more than 2.0 are unresolved
/// where they decay, of more than 2.5 where they swing; beside other motion, once they are most of what moves.
template <class X, class K>
bool resolves_motion(double h, const K& k1, const K& k2, const K& k3, const K& k4, const X& x) {
  const double moved = (k1 + 2 * k2 + 2 * k3 + k4).cwiseAbs().maxCoeff();
  const double apart = (k1 - 2 * k3 + k4).cwiseAbs().maxCoeff();
  return h / 6 * (apart - moved) <= 1e-9 * (1 + x.cwiseAbs().maxCoeff());  // what is at rest moves by rounding
}

/// One step of the classical fourth-order Runge-Kutta method from x at `time`; x' replaces x. control(t) -> u (m) is
/// called at both ends and in the middle. k4: the last of the four rates. Unless the status is ok, x is unspecified:
/// `not_converged` where the step does not resolve its motion, or x is not finite.
template <ContinuousDynamics Dynamics, class Control>
StepStatus runge_kutta_step(const Dynamics& dynamics, const Control& control, double time, double step,
                            Eigen::VectorXd& x, Eigen::VectorXd& k4) {
  Eigen::VectorXd k1, k2, k3;
  const Eigen::VectorXd middle = control(time + step / 2);
  if (const auto s = dynamics.rate(x, control(time), k1); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step / 2 * k1, middle, k2); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step / 2 * k2, middle, k3); s != StepStatus::ok) return s;
  if (const auto s = dynamics.rate(x + step * k3, control(time + step), k4); s != StepStatus::ok) return s;
  x += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  return x.allFinite() && resolves_motion(step, k1, k2, k3, k4, x) ? StepStatus::ok : StepStatus::not_converged;
}

template <ContinuousDynamics Dynamics, class Control>
StepStatus runge_kutta_step(const Dynamics& dynamics, const Control& control, double time, double step,
                            Eigen::VectorXd& x) {
  Eigen::VectorXd k4;
  return runge_kutta_step(dynamics, control, time, step, x, k4);
}

/// Continuous dynamics as a discrete one: `duration` in equal Runge-Kutta steps, the control held.
///
///     RungeKutta step(arm, 0.02, 5);                  // 20 ms in steps of 4 ms
///     step.step(x, u, next, dnext_dx, dnext_du);      // exact derivatives of the numerical step
///
/// Steps that do not resolve their motion, which those past the stability limit soon do not, are `not_converged`. With
/// a tolerance each step is compared with an embedded one of third order too, h (k4 - f(x')) / 10, for one evaluation
/// more: where an entry of the state differs by more, the status is `not_converged`. This tells steps that are merely
/// inaccurate; it says nothing of how errors add up.
///
/// A DiscreteDynamics. Throws std::invalid_argument unless duration, steps and tolerance are positive.
template <ContinuousDynamics Dynamics>
class RungeKutta {
 public:
  RungeKutta(Dynamics dynamics, double duration, int steps = 1,
             double tolerance = std::numeric_limits<double>::infinity())
      : dynamics_(std::move(dynamics)), duration_(duration), steps_(steps), tolerance_(tolerance) {
    if (!(duration > 0) || steps < 1 || !(tolerance > 0))
      throw std::invalid_argument("RungeKutta: " + to_text(steps) + " steps of together " + to_text(duration) +
                                  " s, tolerance " + to_text(tolerance) + "; all must be positive");
  }

  Eigen::Index state_size() const { return dynamics_.state_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }
  const Dynamics& dynamics() const { return dynamics_; }
  double duration() const { return duration_; }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = x;
    const double h = duration_ / steps_;
    Eigen::VectorXd last;
    const auto held = [&](double) -> const Eigen::VectorXd& { return u; };
    for (int i = 0; i < steps_; ++i) {
      if (const auto s = runge_kutta_step(dynamics_, held, i * h, h, next, last); s != StepStatus::ok) return s;
      if (const auto s = judge(next, u, h, last); s != StepStatus::ok) return s;
    }
    return StepStatus::ok;
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const Eigen::Index n = state_size();
    const double h = duration_ / steps_;
    next = x;
    dnext_dx.setIdentity(n, n);
    dnext_du.setZero(n, control_size());
    Eigen::VectorXd stage;
    std::array<Eigen::VectorXd, 4> k;
    Eigen::MatrixXd A, B, K_x, K_u, sum_x, sum_u;
    constexpr double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int i = 0; i < steps_; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        // The derivative of the stage's state with respect to x and u of the whole step, then that of its rate.
        stage = next;
        if (j > 0) stage += reach[j] * h * k[j - 1];
        if (const auto s = dynamics_.rate(stage, u, k[j], A, B); s != StepStatus::ok) return s;
        Eigen::MatrixXd S_x = dnext_dx, S_u = dnext_du;
        if (j > 0) {
          S_x += reach[j] * h * K_x;
          S_u += reach[j] * h * K_u;
        }
        K_x.noalias() = A * S_x;
        K_u.noalias() = A * S_u;
        K_u += B;
        if (j == 0) {
          sum_x = weight[j] * K_x;
          sum_u = weight[j] * K_u;
        } else {
          sum_x += weight[j] * K_x;
          sum_u += weight[j] * K_u;
        }
      }
      next += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
      dnext_dx += h * sum_x;
      dnext_du += h * sum_u;
      if (!next.allFinite() || !resolves_motion(h, k[0], k[1], k[2], k[3], next)) return StepStatus::not_converged;
      if (const auto s = judge(next, u, h, k[3]); s != StepStatus::ok) return s;
    }
    return StepStatus::ok;
  }

 private:
  /// The status of a step of length h to x with the fourth rate k4.
  StepStatus judge(const Eigen::VectorXd& x, const Eigen::VectorXd& u, double h, const Eigen::VectorXd& k4) const {
    if (std::isinf(tolerance_)) return StepStatus::ok;
    Eigen::VectorXd k5;
    if (const auto s = dynamics_.rate(x, u, k5); s != StepStatus::ok) return s;
    return h / 10 * (k4 - k5).cwiseAbs().maxCoeff() <= tolerance_ ? StepStatus::ok : StepStatus::not_converged;
  }

  Dynamics dynamics_;
  double duration_;
  int steps_;
  double tolerance_;
};

}  // namespace quoin
