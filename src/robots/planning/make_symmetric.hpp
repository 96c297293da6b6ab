// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace quoin::planning {

/// Replaces a square matrix, which rounding has left not quite symmetric, by the mean of it and its transpose.
inline void make_symmetric(Eigen::MatrixXd& M) {
  for (Eigen::Index j = 0; j < M.cols(); ++j)
    for (Eigen::Index i = j + 1; i < M.rows(); ++i) M(i, j) = M(j, i) = 0.5 * (M(i, j) + M(j, i));
}

}  // namespace quoin::planning
