// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/continuous.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>

namespace quoin {
namespace detail {

/// A matrix whose rows and columns belong to states in units of their own, factorized in units in which row and column
/// of each state weigh the same (Osborne 1960), rows made alike.
class BalancedFactor {
 public:
  explicit BalancedFactor(Eigen::MatrixXd W) : unit_(Eigen::VectorXd::Ones(W.rows())) {
    constexpr int sweeps = 4;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (Eigen::Index i = 0; i < W.rows(); ++i) {
        double row = 0, column = 0;
        for (Eigen::Index j = 0; j < W.rows(); ++j) {
          if (j == i) continue;
          row += std::abs(W(i, j));
          column += std::abs(W(j, i));
        }
        if (!(row > 0 || column > 0)) continue;
        const double factor = row > 0 && column > 0 ? std::sqrt(row / column) : row > 0 ? row : 1 / column;
        if (!std::isfinite(factor)) continue;
        W.row(i) /= factor;
        W.col(i) *= factor;
        unit_[i] *= factor;
      }
    }
    scale_ = W.cwiseAbs().rowwise().maxCoeff();
    singular_ = !(scale_.minCoeff() > 0) || !scale_.allFinite();
    if (singular_) return;
    factor_.compute(scale_.cwiseInverse().asDiagonal() * W);
    singular_ = !(factor_.rcond() > 1e-13);
  }
  /// Whether its condition, so measured, is beyond 1e13: rounding then determines what `solve` gives.
  bool singular() const { return singular_; }
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const {
    return unit_.cwiseProduct(factor_.solve(right.cwiseQuotient(unit_).cwiseQuotient(scale_)));
  }

 private:
  Eigen::VectorXd unit_, scale_;
  bool singular_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace detail

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
/// `singular` where a mode grows by just so much in a step, e^(1 / g), that the matrix has no inverse to rounding, its
/// condition being measured free of the states' units. `ok` says nothing of the step's error. Unless the status is ok,
/// x is unspecified.
template <ContinuousDynamics Dynamics>
StepStatus rosenbrock_step(const Dynamics& dynamics, const Eigen::VectorXd& u, double step, Eigen::VectorXd& x) {
  const double g = 1 - std::sqrt(0.5);
  Eigen::VectorXd f;
  Eigen::MatrixXd A, B;
  if (const auto s = dynamics.rate(x, u, f, A, B); s != StepStatus::ok) return s;
  if (!A.allFinite()) return StepStatus::not_converged;
  const detail::BalancedFactor factor(Eigen::MatrixXd::Identity(x.size(), x.size()) - g * step * A);
  if (factor.singular()) return StepStatus::singular;
  const Eigen::VectorXd k1 = factor.solve(f);
  if (!k1.allFinite()) return StepStatus::not_converged;
  if (const auto s = dynamics.rate(x + step * k1, u, f); s != StepStatus::ok) return s;
  x += step / 2 * (3 * k1 + factor.solve(f - 2 * k1));
  return x.allFinite() ? StepStatus::ok : StepStatus::not_converged;
}

}  // namespace quoin
