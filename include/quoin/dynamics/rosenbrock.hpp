// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/dynamics/continuous.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>

namespace quoin {

/// One linearly implicit step for stiff dynamics under a held control; x' replaces x. It is the two-stage Rosenbrock
/// method (ROS2; Verwer, Spee, Blom, Hundsdorfer 1999),
///
///     (1 - g h A) k1 = f(x, u),    (1 - g h A) k2 = f(x + h k1, u) - 2 k1,    x' = x + h (3 k1 + k2) / 2,
///
/// with A = df/dx at x and g = 1 - 1/sqrt(2). It is of second order and L-stable: modes that decay much faster than the
/// step vanish within a few steps, so that no decay rate limits the step. It does not iterate: one derivative, one
/// factorization, two evaluations of f.
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
