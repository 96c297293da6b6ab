// SPDX-License-Identifier: BSD-3-Clause
// What the planners of discrete dynamics share.
#pragma once

#include "../dynamics.hpp"
#include "../matrices.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"
#include "residuals.hpp"

#include <memory>
#include <vector>

namespace quoin::python {

using Problem = planning::TrajectoryProblem<DynamicsOf, Stacked, Stacked>;

/// From the dictionary that quoin.planning._problems makes. Throws std::invalid_argument for sizes that do not fit.
Problem problem_of(const std::shared_ptr<Dynamics>& dynamics, const py::dict& dict);

/// (count, rows, columns)
py::array_t<double> stacked(const std::vector<Eigen::MatrixXd>& matrices, Eigen::Index rows, Eigen::Index columns);
/// The same, of the first one's shape.
py::array_t<double> stacked(const std::vector<Eigen::MatrixXd>& matrices);

}  // namespace quoin::python
