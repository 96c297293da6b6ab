// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/dynamics/continuous.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>

namespace quoin {

/// One linearly implicit step for stiff dynamics, the control held, x' in place: the Rosenbrock method of two stages
/// (ROS2; Verwer, Spee, Blom, Hundsdorfer 1999),
///
///     (1 - g h A) k1 = f(x, u),    (1 - g h A) k2 = f(x + h k1, u) - 2 k1,    x' = x + h (3 k1 + k2) / 2,
///
/// with A = df/dx at x and g = 1 - 1/sqrt(2). Second order and L-stable: what decays much faster than the step is gone
/// after a few, so that no rate of decay limits the step. No iteration: one derivative, one factorization, two rates.
///
///     for (double t = 0; t < 5; t += 0.01) status = rosenbrock_step(arm, torques, 0.01, x);
///
/// Unless the status is ok, x is unspecified.
template <ContinuousDynamics Dynamics>
StepStatus rosenbrock_step(const Dynamics& dynamics, const Eigen::VectorXd& u, double step, Eigen::VectorXd& x) {
  const double g = 1 - std::sqrt(0.5);
  Eigen::VectorXd f;
  Eigen::MatrixXd A, B;
  if (const auto s = dynamics.rate(x, u, f, A, B); s != StepStatus::ok) return s;
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(Eigen::MatrixXd::Identity(x.size(), x.size()) - g * step * A);
  const Eigen::VectorXd k1 = factor.solve(f);
  if (!k1.allFinite()) return StepStatus::singular;
  if (const auto s = dynamics.rate(x + step * k1, u, f); s != StepStatus::ok) return s;
  x += step / 2 * (3 * k1 + factor.solve(f - 2 * k1));
  return x.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

}  // namespace quoin
