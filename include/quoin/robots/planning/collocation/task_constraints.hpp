// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/collocation/problem.hpp"
#include "quoin/robots/planning/task_terms.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// The residuals of tasks at the end of a motion, one below the other, as a BoundaryConstraint: give it zeros as bounds
/// for what must hold exactly.
///
///     problem.boundary = end_constraint({map_residual(PointOffsets(hand), goal), rest_residual()});
///     problem.lower_boundary = problem.upper_boundary = Eigen::VectorXd::Zero(3 + n);
///
/// The tasks are asked at t = 0, and may not change in time.
BoundaryConstraint end_constraint(std::vector<TaskResidual> tasks);

/// The integrand u^T R u + sum of precision |e(x)|^2 over tasks, as a RunningCost; R is m x m. The terms' precisions
/// are those at t = 0, and their tasks are asked there: they may not change in time. Throws std::invalid_argument for
/// terms that `require_terms` refuses.
///
///     problem.running_cost = effort_and_tasks(R, {{"clear", map_residual(margins, world), throughout(0, 100)}});
RunningCost effort_and_tasks(Eigen::MatrixXd R, std::vector<TaskTerm> terms);

}  // namespace quoin::planning
