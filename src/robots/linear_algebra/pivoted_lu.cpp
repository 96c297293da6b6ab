// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/linear_algebra/pivoted_lu.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace quoin::linear_algebra {

void PivotedLu::compute(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  if (matrix.rows() != matrix.cols() || matrix.rows() > max_size)
    throw std::invalid_argument("PivotedLu: " + to_text(matrix.rows()) + " x " + to_text(matrix.cols()) +
                                " is not square, or has more than " + to_text(max_size) + " rows");
  size_ = static_cast<int>(matrix.rows());
  for (int j = 0; j < size_; ++j)
    for (int i = 0; i < size_; ++i) at(i, j) = matrix(i, j);
  for (int k = 0; k < size_; ++k) {
    int& row = row_[k] = k;
    int& column = column_[k] = k;
    double largest = -1;
    for (int j = k; j < size_; ++j)
      for (int i = k; i < size_; ++i)
        if (const double size = std::abs(at(i, j)); size > largest) {
          largest = size;
          row = i;
          column = j;
        }
    for (int j = 0; j < size_ && row != k; ++j) std::swap(at(k, j), at(row, j));
    for (int i = 0; i < size_ && column != k; ++i) std::swap(at(i, k), at(i, column));
    if (at(k, k) == 0) continue;  // so is all that is left
    for (int i = k + 1; i < size_; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < size_; ++j)
      for (int i = k + 1; i < size_; ++i) at(i, j) -= at(i, k) * at(k, j);
  }
}

bool PivotedLu::is_invertible(double threshold) const {
  if (threshold < 0) threshold = std::numeric_limits<double>::epsilon() * size_;
  double largest = 0;
  for (int k = 0; k < size_; ++k) largest = std::max(largest, std::abs(at(k, k)));
  for (int k = 0; k < size_; ++k)
    if (!(std::abs(at(k, k)) > threshold * largest)) return false;
  return true;
}

void PivotedLu::solve_in_place(Eigen::Ref<Eigen::MatrixXd> B) const {
  for (Eigen::Index c = 0; c < B.cols(); ++c) {
    double* b = B.col(c).data();
    for (int k = 0; k < size_; ++k) std::swap(b[k], b[row_[k]]);
    for (int k = 0; k < size_; ++k)
      for (int i = k + 1; i < size_; ++i) b[i] -= at(i, k) * b[k];
    for (int k = size_ - 1; k >= 0; --k) {
      b[k] /= at(k, k);
      for (int i = 0; i < k; ++i) b[i] -= at(i, k) * b[k];
    }
    for (int k = size_ - 1; k >= 0; --k) std::swap(b[k], b[column_[k]]);
  }
}

}  // namespace quoin::linear_algebra
