// SPDX-License-Identifier: BSD-3-Clause
// How ilqr begins where its guess cannot be followed to the end: over a shorter horizon, which then grows.
#include "ilqr_solver.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace quoin::planning {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The problem over its first stages, with the residuals and constraints of the last one at their end.
AnyTrajectoryProblem first_stages(const AnyTrajectoryProblem& whole, int horizon) {
  AnyTrajectoryProblem part = whole;
  part.horizon = horizon;
  const auto stage = [horizon, end = whole.horizon](int i) { return i == horizon ? end : i; };
  const auto staged = [stage](const AnyStageFunction& function) {
    return AnyStageFunction(
        [&function, stage](int i, const VectorXd& x, const VectorXd& u, VectorXd& value) {
          return function(stage(i), x, u, value);
        },
        [&function, stage](int i, const VectorXd& x, const VectorXd& u, VectorXd& value, MatrixXd& dx, MatrixXd& du) {
          return function(stage(i), x, u, value, dx, du);
        });
  };
  part.residuals.residual = staged(whole.residuals.residual);
  part.constraints.constraint = staged(whole.constraints.constraint);
  return part;
}

}  // namespace

std::optional<MatrixXd> grown_guess(const AnyTrajectoryProblem& problem, const MatrixXd& guess,
                                    const IlqrOptions& options, IlqrResult& calls) {
  IlqrOptions rough = options;
  rough.max_iterations = 60;
  rough.relative_tolerance = std::max(1e-3, options.relative_tolerance);
  rough.check_curvature = rough.exact_hessians = rough.grow_horizon = false;
  rough.multipliers = {};
  rough.observer = {};
  MatrixXd controls(guess.rows(), 0);
  int horizon = std::max(1, problem.horizon / 8);
  while (true) {
    const auto planned = static_cast<int>(controls.cols());
    // Further on as the guess has it; where that cannot be followed, with the last control held.
    std::optional<IlqrResult> plan;
    for (const bool held : {false, true}) {
      if (held && planned == 0) break;
      MatrixXd longer = guess.leftCols(horizon);
      longer.leftCols(planned) = controls;
      if (held) longer.rightCols(horizon - planned).colwise() = controls.col(planned - 1).eval();
      IlqrResult tried = ilqr(first_stages(problem, horizon), longer, rough);
      calls.dynamics_calls += tried.dynamics_calls;
      calls.derivative_calls += tried.derivative_calls;
      if (tried.stop == Stop::initial_failed) continue;
      plan = std::move(tried);
      break;
    }
    if (!plan) {
      const int shorter = planned + (horizon - planned) / 2;
      if (shorter == planned || shorter == horizon) return std::nullopt;
      horizon = shorter;
      continue;
    }
    controls = std::move(plan->trajectory.controls);
    if (horizon == problem.horizon) return controls;
    horizon = std::min(2 * horizon, problem.horizon);
  }
}

}  // namespace quoin::planning
