// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace quoin::identification {

/// The order in which a network's outputs fill the lower triangle of n x n: the diagonal, then the rest row by row.
struct LowerTriangle {
  Eigen::Index n;

  Eigen::Index entries() const { return n * (n + 1) / 2; }

  /// Calls visit(entry, row, column) for all entries.
  template <class Visit>
  void for_each(Visit visit) const {
    for (Eigen::Index i = 0; i < n; ++i) visit(i, i, i);
    Eigen::Index entry = n;
    for (Eigen::Index i = 1; i < n; ++i)
      for (Eigen::Index j = 0; j < i; ++j) visit(entry++, i, j);
  }
};

}  // namespace quoin::identification
