// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/detail/natural_newton.hpp"

#include <cmath>

namespace quoin::detail {

NaturalNewtonReport natural_newton(NewtonEquation::Vector& z, NewtonEquation::Vector& r, NewtonEquation::Matrix matrix,
                                   const NaturalNewtonOptions& options, const NewtonEquation& equation) {
  using Vector = NewtonEquation::Vector;
  NaturalNewtonReport report;
  const auto stop = [&](StepStatus status) {
    report.status = status;
    return report;
  };
  NewtonEquation::Matrix broyden = NewtonEquation::Matrix::Zero(matrix.rows(), matrix.cols());
  linear_algebra::PivotedLu lu;
  Vector direction, trial, trial_r, corrected, moved, surprise;
  for (;; ++report.iterations) {
    lu.compute(matrix + broyden);
    if (!lu.is_invertible()) return stop(StepStatus::singular);
    direction = -r;
    lu.solve_in_place(direction);
    const double correction = report.correction = direction.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(correction)) return stop(StepStatus::singular);
    if (correction <= options.tolerance) return report;

    double scale = 1;
    StepStatus obstacle = StepStatus::ok;
    bool shorter = false;
    for (int halvings = 0; halvings < 14 && !shorter && report.iterations < options.max_iterations; ++halvings) {
      trial = z + scale * direction;
      const StepStatus status = equation.evaluate(equation.self, trial, trial_r);
      if (status == StepStatus::ok) {
        corrected = trial_r;
        lu.solve_in_place(corrected);
        shorter = corrected.lpNorm<Eigen::Infinity>() <= (1 - scale / 4) * correction;
      } else {
        obstacle = status;
      }
      if (!shorter) scale /= 2;
    }
    if (!shorter) {
      if (correction <= options.stall_tolerance) return report;
      return stop(obstacle != StepStatus::ok ? obstacle : StepStatus::not_converged);
    }
    moved = trial - z;
    equation.accept(equation.self, matrix);
    surprise = trial_r - r - (matrix + broyden).lazyProduct(moved);
    broyden += surprise.lazyProduct(moved.transpose()) / moved.squaredNorm();
    z = trial;
    r = trial_r;
  }
}

}  // namespace quoin::detail
