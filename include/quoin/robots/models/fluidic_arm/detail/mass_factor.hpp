// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace quoin::fluidic_arm::detail {

/// A mass matrix by Cholesky's factors, rows and columns first divided by the roots of its diagonal: units of the
/// coordinates and masses of different sizes then do not matter. That a factorization runs to its end tells little:
/// one of a matrix that is singular, or a little indefinite, does so as rounding has it.
template <class Matrix>
class MassFactor {
  using Vector = Eigen::Matrix<double, Matrix::RowsAtCompileTime, 1>;

 public:
  /// False where the matrix is not positive definite, or so nearly not that rounding determines what `solve` gives: its
  /// condition is beyond 3e10, by Higham's estimate in the 1-norm, which is between that in the 2-norm and n times it.
  bool compute(const Matrix& M) {
    if (!(M.diagonal().array() > 0).all() || !M.allFinite()) return false;
    root_ = M.diagonal().cwiseSqrt();
    factor_.compute(M.cwiseQuotient(root_ * root_.transpose()));
    return factor_.info() == Eigen::Success && factor_.rcond() > 3e-11;
  }

  /// M^-1 B.
  template <class Right>
  auto solve(const Right& B) const {
    using Result = Eigen::Matrix<double, Matrix::RowsAtCompileTime, Right::ColsAtCompileTime>;
    const Result scaled = root_.cwiseInverse().asDiagonal() * B;
    return Result(root_.cwiseInverse().asDiagonal() * factor_.solve(scaled));
  }

 private:
  Vector root_;
  Eigen::LLT<Matrix> factor_;
};

}  // namespace quoin::fluidic_arm::detail
