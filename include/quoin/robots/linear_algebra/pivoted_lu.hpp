// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

namespace quoin::linear_algebra {

/// Factors of a small square matrix by elimination with full pivoting. Not Eigen's: that takes seconds to compile for
/// each size and each kind of right side, and where the compiler does not know the size it is no faster. Allocates
/// nothing.
class PivotedLu {
 public:
  static constexpr int max_size = 24;  ///< rows and columns

  /// Throws std::invalid_argument unless the matrix is square and at most of this size.
  void compute(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

  /// Every pivot is larger than this part of the largest. Negative: rounding, as for Eigen::FullPivLU.
  bool is_invertible(double threshold = -1) const;

  /// B becomes the solution X of A X = B.
  void solve_in_place(Eigen::Ref<Eigen::MatrixXd> B) const;

 private:
  double& at(int row, int column) { return entries_[row + column * size_]; }
  double at(int row, int column) const { return entries_[row + column * size_]; }

  int size_ = 0;
  double entries_[max_size * max_size];   // L without its unit diagonal, and U; by columns
  int row_[max_size], column_[max_size];  // that were exchanged with k in step k
};

}  // namespace quoin::linear_algebra
