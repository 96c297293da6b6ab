// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// Whether lengths can be those along which pulls u (m) act, by their derivatives there (m x m, a row for each length).
/// Throws std::invalid_argument, with the numbers, where no length changes, one grows under its own pull, or they have
/// not the symmetry that energy asks for: a length changes by another pull as that one's length does by this pull.
void check_line_lengths(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& u);

}  // namespace quoin::planning
