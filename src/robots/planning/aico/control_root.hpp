// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace quoin::planning {

/// L^-T of H = L L^T: with u = L^-T v the cost 1/2 u^T H u is 1/2 |v|^2. Throws std::invalid_argument, with a message
/// that begins with `caller`, unless H is symmetric and positive definite.
Eigen::MatrixXd inverse_root_of(const Eigen::MatrixXd& control_cost, const char* caller);

}  // namespace quoin::planning
