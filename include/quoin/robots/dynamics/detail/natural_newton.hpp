// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>
#include <utility>

namespace quoin::detail {

/// When natural_newton stops.
struct NaturalNewtonOptions {
  double tolerance;        ///< accept when the next correction is at most this (largest entry)
  double stall_tolerance;  ///< accept one that cannot be improved below this
  int max_iterations;
};

/// How natural_newton ended.
struct NaturalNewtonReport {
  StepStatus status = StepStatus::ok;
  int iterations = 0;
  double correction = 0;  ///< the last one, largest entry
};

/// Newton's method for r(z) = 0 with an approximate Jacobian, corrected from iterate to iterate by Broyden's formula.
/// Steps are shortened until the natural monotonicity test holds (Deuflhard 2004, 3.3), also where r has no value.
///
/// r: that of z. matrix: the approximate Jacobian at z. evaluate(trial, r): StepStatus, r at another point.
/// accept(): the approximate Jacobian at the point that was evaluated last, which is the iterate from now on.
template <class Vector, class Matrix, class Evaluate, class Accept>
NaturalNewtonReport natural_newton(Vector& z, Vector& r, Matrix matrix, const NaturalNewtonOptions& options,
                                   const Evaluate& evaluate, const Accept& accept) {
  NaturalNewtonReport report;
  const auto stop = [&](StepStatus status) {
    report.status = status;
    return report;
  };
  Matrix broyden = Matrix::Zero(matrix.rows(), matrix.cols());
  Eigen::FullPivLU<Matrix> lu(matrix.rows(), matrix.cols());
  Vector direction, trial, trial_r, moved, surprise;
  for (;; ++report.iterations) {
    lu.compute(matrix + broyden);
    if (!lu.isInvertible()) return stop(StepStatus::singular);
    direction = lu.solve(r);
    direction = -direction;
    const double correction = report.correction = direction.template lpNorm<Eigen::Infinity>();
    if (!std::isfinite(correction)) return stop(StepStatus::singular);
    if (correction <= options.tolerance) return report;

    double scale = 1;
    StepStatus obstacle = StepStatus::ok;
    bool shorter = false;
    for (int halvings = 0; halvings < 14 && !shorter && report.iterations < options.max_iterations; ++halvings) {
      trial = z + scale * direction;
      const StepStatus status = evaluate(std::as_const(trial), trial_r);
      if (status == StepStatus::ok)
        shorter = lu.solve(trial_r).template lpNorm<Eigen::Infinity>() <= (1 - scale / 4) * correction;
      else
        obstacle = status;
      if (!shorter) scale /= 2;
    }
    if (!shorter) {
      if (correction <= options.stall_tolerance) return report;
      return stop(obstacle != StepStatus::ok ? obstacle : StepStatus::not_converged);
    }
    matrix = accept();
    moved = trial - z;
    surprise = (trial_r - r) - (matrix + broyden) * moved;
    broyden += surprise * moved.transpose() / moved.squaredNorm();
    z = trial;
    r = trial_r;
  }
}

}  // namespace quoin::detail
