// SPDX-License-Identifier: BSD-3-Clause
// Swing-ups and reaches of `swing_ups.hpp` as problems of AICO, and a judge of minima that shares nothing with it.
#pragma once

#include "testing/robots/aico_problems.hpp"
#include "testing/robots/swing_ups.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace quoin::planning::test {

/// The same cost; AICO has no bounds.
inline AicoProblem aico_problem(const SwingUp& swing) {
  const Eigen::Index n = swing.dynamics.state_size(), m = swing.dynamics.control_size();
  return {.state_size = n,
          .horizon = swing.horizon,
          .control_cost = std::pow(swing.residuals.effort, 2) * Matrix::Identity(m, m),
          .initial_state = swing.initial_state,
          .dynamics = discrete_dynamics(swing.dynamics),
          .task = [residuals = swing.residuals, m, horizon = swing.horizon](int t, const Vector& x, LocalTask& task) {
            Vector e;
            Matrix dx, du;
            residuals.residual(t, x, Vector::Zero(t < horizon ? m : 0), e, dx, du);
            task.add(e, dx, x);
            return true;
          }};
}

/// The gradient of the cost by the controls, by the adjoint recursion.
inline Matrix exact_gradient(const AicoProblem& problem, const Matrix& controls) {
  const int T = problem.horizon;
  std::vector<LinearStep> steps(T);
  std::vector<Vector> slopes;
  Vector x = problem.initial_state, next;
  for (int t = 0; t <= T; ++t) {
    LocalTask task;
    task.set_zero(problem.state_size);
    if (!problem.task(t, x, task)) return {};
    slopes.push_back(task.R * x - task.r);
    if (t == T) break;
    if (problem.dynamics(t, x, controls.col(t), next, &steps[t]) != StepStatus::ok) return {};
    x = next;
  }
  Matrix gradient(controls.rows(), T);
  Vector adjoint = slopes[T];
  for (int t = T - 1; t >= 0; --t) {
    gradient.col(t) = problem.control_cost * controls.col(t) + steps[t].B.transpose() * adjoint;
    adjoint = (slopes[t] + steps[t].A.transpose() * adjoint).eval();
  }
  return gradient;
}

struct AicoJudgement {
  double least_curvature = 0;  ///< the least eigenvalue of the whole Hessian, over the least of effort alone
  double decrease = 0;  ///< over the cost: what Newton's step promises, or at a saddle what a way down from it brings
};

inline AicoJudgement judge(const AicoProblem& problem, const Matrix& controls) {
  const Eigen::Index size = controls.size();
  const Vector slope = exact_gradient(problem, controls).reshaped();
  const double step = 1e-5 * std::max(1e-3, controls.cwiseAbs().maxCoeff());
  Matrix hessian(size, size), moved = controls;
  for (Eigen::Index k = 0; k < size; ++k) {
    moved(k) = controls(k) + step;
    const Matrix above = exact_gradient(problem, moved);
    moved(k) = controls(k) - step;
    hessian.col(k) = ((above - exact_gradient(problem, moved)) / (2 * step)).reshaped();
    moved(k) = controls(k);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (hessian + hessian.transpose()));
  const Eigen::SelfAdjointEigenSolver<Matrix> effort(problem.control_cost, Eigen::EigenvaluesOnly);
  const double cost = cost_of(problem, controls);
  AicoJudgement result{.least_curvature = eigen.eigenvalues()[0] / effort.eigenvalues()[0]};
  if (result.least_curvature > 0) {
    const Vector along = eigen.eigenvectors().transpose() * slope;
    result.decrease = 0.5 * along.cwiseAbs2().cwiseQuotient(eigen.eigenvalues()).sum() / cost;
    return result;
  }
  for (double length = 10; length > 1e-6; length *= 0.5) {
    for (const double way : {length, -length}) {
      const Matrix there = controls + way * eigen.eigenvectors().col(0).reshaped(controls.rows(), controls.cols());
      result.decrease = std::max(result.decrease, (cost - cost_of(problem, there)) / cost);
    }
  }
  return result;
}

}  // namespace quoin::planning::test
