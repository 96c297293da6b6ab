// SPDX-License-Identifier: BSD-3-Clause
// How ilqr begins where its guess cannot be followed to the end: over a shorter horizon, which then grows.
#include "ilqr_solver.hpp"
#include "infinity.hpp"

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
  constexpr double far = 10;  // times the cost of the plan so far
  IlqrOptions rough = options;
  rough.max_iterations = 60;
  rough.relative_tolerance = std::max(1e-3, options.relative_tolerance);
  rough.check_curvature = rough.exact_hessians = rough.grow_horizon = false;
  rough.multipliers = {};
  rough.observer = {};
  const auto cost_of = [&calls](const AnyTrajectoryProblem& part, const MatrixXd& controls) {
    const Rollout motion = roll_out(part, controls);
    calls.dynamics_calls +=
        motion.failed_step < 0 ? part.horizon : motion.failed_step + (motion.status != StepStatus::ok);
    return motion.trajectory.cost;
  };
  const MatrixXd bounded = guess.cwiseMax(problem.lower_control.replicate(1, problem.horizon))
                               .cwiseMin(problem.upper_control.replicate(1, problem.horizon));
  const int first = std::max(1, problem.horizon / 8);
  MatrixXd controls(guess.rows(), 0);
  double cost = infinity;
  int horizon = first;
  while (true) {
    const auto planned = static_cast<int>(controls.cols());
    const int added = horizon - planned;
    const AnyTrajectoryProblem part = first_stages(problem, horizon);
    // Further on as the guess has it, or with the mean of what is planned, which usually holds: what costs less.
    MatrixXd longer = bounded.leftCols(horizon);
    longer.leftCols(planned) = controls;
    if (planned > 0) {
      MatrixXd steady = longer;
      steady.rightCols(added).colwise() = controls.rowwise().mean().eval();
      if (cost_of(part, steady) < cost_of(part, longer)) longer = std::move(steady);
    }
    IlqrResult plan = ilqr(part, longer, rough);
    calls.dynamics_calls += plan.dynamics_calls;
    calls.derivative_calls += plan.derivative_calls;
    const bool failed = plan.stop == Stop::initial_failed;
    // Thrown about by what was added, a plan does not find back: less of it.
    if ((failed || plan.trajectory.cost > far * cost) && added > (failed ? 1 : first)) {
      horizon = planned + added / 2;
      continue;
    }
    if (failed) return std::nullopt;
    cost = plan.trajectory.cost;
    controls = std::move(plan.trajectory.controls);
    if (horizon == problem.horizon) return controls;
    horizon = std::min(2 * horizon, problem.horizon);
  }
}

}  // namespace quoin::planning
