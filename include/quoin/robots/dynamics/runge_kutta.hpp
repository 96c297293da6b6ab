// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/dynamics/runge_kutta_steps.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace quoin {

namespace detail {

/// Whether a control in time is, where RungeKuttaSteps look between, other than its parabola through those at start,
/// middle and end of the span.
template <class Control>
bool surprises(const Control& control, double start, double span) {
  const Eigen::ArrayXd first = control(start), second = control(start + 0.5 * span), third = control(start + span);
  const Eigen::ArrayXd size = first.abs().max(second.abs()).max(third.abs());
  for (const double t : RungeKuttaSteps::between) {
    const Eigen::ArrayXd seen = control(start + t * span);
    const Eigen::ArrayXd foretold = (1 - t) * (1 - 2 * t) * first + 4 * t * (1 - t) * second + t * (2 * t - 1) * third;
    if (!((seen - foretold).abs() <= 1e-9 * size.max(seen.abs())).all()) return true;
  }
  return false;
}

inline void check_scales(const Eigen::VectorXd& scales, Eigen::Index states) {
  if (scales.size() != 0 && scales.size() != states)
    throw std::invalid_argument("RungeKutta: " + to_text(scales.size()) + " scales for " + to_text(states) + " states");
  for (const double scale : scales)
    if (!(scale > 0) || !std::isfinite(scale))
      throw std::invalid_argument("RungeKutta: a scale of " + to_text(scale) + "; expected positive ones");
}

}  // namespace detail

/// x from `time` on for `step`, by classical Runge-Kutta steps that are halved until they are as exact as the tolerance
/// asks (RungeKuttaSteps); with an infinite tolerance by one step. control(t) -> u (m), also where it has periods
/// within the step; but one that jumps, or is a pulse, between the times where steps look is not seen: let steps end
/// there. Unless the status is ok, x is unspecified. Throws std::invalid_argument for a tolerance or scales that are
/// not positive, a time or step that is not finite, or unless there is a scale for each state or none.
template <ContinuousDynamics Dynamics, class Control>
StepStatus runge_kutta_step(const Dynamics& dynamics, const Control& control, double time, double step,
                            Eigen::VectorXd& x, double tolerance = default_step_tolerance,
                            const Eigen::VectorXd& scales = {}) {
  detail::check_scales(scales, x.size());
  const OptionsOf of{"runge_kutta_step"};
  of.finite("time", time);
  of.finite("step", step);
  const auto control_after = [&](double part) { return control(time + part * step); };
  return RungeKuttaSteps(tolerance, scales)
      .advance([&](int, double part, const Eigen::VectorXd& at,
                   Eigen::VectorXd& k) { return dynamics.rate(at, control_after(part), k); },
               step, 1, x, nullptr,
               [&](double start, double span) { return detail::surprises(control_after, start, span); });
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
/// A DiscreteDynamics. Throws std::invalid_argument unless duration, steps, tolerance and scales are positive, and the
/// scales none or as many as the states.
template <ContinuousDynamics Dynamics>
class RungeKutta {
 public:
  /// duration: s, of a step of this map; steps: how many at least it is divided into; scales: how large each state is,
  /// to which the tolerance is relative where the state is smaller. None: ones.
  RungeKutta(Dynamics dynamics, double duration, int steps = 1, double tolerance = default_step_tolerance,
             Eigen::VectorXd scales = {})
      : dynamics_(std::move(dynamics)),
        duration_(duration),
        steps_(steps),
        tolerance_(tolerance),
        scales_(std::move(scales)) {
    detail::check_scales(scales_, dynamics_.state_size());
    if (!(duration > 0) || steps < 1 || !(tolerance > 0))
      throw std::invalid_argument("RungeKutta: " + to_text(steps) + " steps of together " + to_text(duration) +
                                  " s, tolerance " + to_text(tolerance) + "; all must be positive");
  }

  Eigen::Index state_size() const { return dynamics_.state_size(); }
  Eigen::Index control_size() const { return dynamics_.control_size(); }
  /// The continuous ones.
  const Dynamics& dynamics() const { return dynamics_; }
  /// Of one step of this map, s.
  double duration() const { return duration_; }

  /// Steps will be taken from these states.
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Dynamics>
  {
    dynamics_.hint(states);
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = x;
    return RungeKuttaSteps(tolerance_, scales_)
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
    return RungeKuttaSteps(tolerance_, scales_).advance(rate, duration_, steps_, next, differentiate);
  }

 private:
  Dynamics dynamics_;
  double duration_;
  int steps_;
  double tolerance_;
  Eigen::VectorXd scales_;
};

}  // namespace quoin
