// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <memory>
#include <vector>

namespace quoin::soft_arm {

/// Cholesky factorization A = L L^T of sparse matrices that share one pattern, for long thin bodies: the
/// unknowns are reordered for a small bandwidth, and L is kept as dense 8 x 8 tiles, so that all arithmetic is
/// that of a dense factorization. It needs more arithmetic than with a minimum-degree ordering, but is several
/// times faster (docs/notes/soft_arm.md).
///
///     TileCholesky cholesky(arm.hessian_pattern());   // once: ordering and fill
///     if (cholesky.factorize(hessian)) cholesky.solve(x);   // x: n x m right-hand sides, overwritten
///
/// A copy shares the symbolic analysis and has its own numbers: one copy per thread. Cost: n b^2 / 2 multiply-adds for
/// n unknowns of half-bandwidth b, 2 n b per right-hand side (solve_rows streams L once for up to twenty). Throws
/// std::invalid_argument for a matrix that is not square or does not have the analysed number of entries.
class TileCholesky {
 public:
  /// Column by column, its lower triangle.
  using Sparse = Eigen::SparseMatrix<double>;
  /// Right-hand sides side by side.
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Analyses the pattern of a symmetric matrix. Only the lower triangle is read; every diagonal entry must be stored.
  explicit TileCholesky(const Sparse& lower_pattern);

  /// Factorizes A + shift * diag(A), given its lower triangle. False if that is not positive definite (or not finite).
  bool factorize(const Sparse& lower, double shift = 0);
  /// Solves A x = b in place for every column, by the last factorization that succeeded.
  void solve(Eigen::Ref<Eigen::MatrixXd> x) const;
  /// The same for many right-hand sides, side by side in each row: four of them cost little more than one by solve().
  void solve_rows(Eigen::Ref<RowMatrix> x) const;

  /// n.
  Eigen::Index size() const;
  std::size_t tiles() const;  ///< stored 8 x 8 tiles of L

 private:
  struct Symbolic;
  std::shared_ptr<const Symbolic> symbolic_;
  /// Column-major 8 x 8 tiles, tile column by tile column, aligned so that no tile spans more cache lines than it must.
  std::vector<double, Eigen::aligned_allocator<double>> tiles_;
};

}  // namespace quoin::soft_arm
