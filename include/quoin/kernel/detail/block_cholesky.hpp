// SPDX-License-Identifier: BSD-3-Clause
// The factor of the samples' correlations, with which a query's error estimate solves.
#pragma once

#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quoin::kernel_detail {

/// The Cholesky factor of a covariance matrix that grows by blocks of rows: K = L L^T.
///
///   BlockCholesky factor(1e-12);
///   factor.append(K21, K22);  // m more rows: K21 is m x size() with the rows before, K22 m x m among themselves
///   factor.solve(b);          // K^-1 b, in place
///
/// `jitter` is added to the diagonal. If rounding leaves a new block indefinite all the same, its rows get ten times as
/// much, and so on. A block of m rows costs O(m n^2); what was factorized before is not touched.
class BlockCholesky {
 public:
  explicit BlockCholesky(double jitter = 0) : jitter_(jitter) {}

  Eigen::Index size() const { return factor_.rows(); }
  /// The lower triangle; entries above it are unspecified.
  const Eigen::MatrixXd& factor() const { return factor_; }

  void append(const Eigen::Ref<const Eigen::MatrixXd>& K21, const Eigen::Ref<const Eigen::MatrixXd>& K22) {
    const Eigen::Index n = size(), m = K22.rows();
    if (K21.rows() != m || K21.cols() != n || K22.cols() != m)
      throw std::invalid_argument("BlockCholesky::append: blocks of " + shape_text(K21) + " and " + to_text(m) + " x " +
                                  to_text(K22.cols()) + " to a factor of " + to_text(n) + " rows");
    Eigen::MatrixXd L21 = K21.transpose();
    if (n > 0) solve_lower(L21);
    const Eigen::MatrixXd rest = K22 - L21.transpose() * L21;
    if (!rest.allFinite()) throw std::invalid_argument("BlockCholesky::append: covariances that are not finite");
    Eigen::LLT<Eigen::MatrixXd> llt;
    for (double jitter = jitter_;; jitter = std::max(10 * jitter, 1e-16)) {
      llt.compute(rest + jitter * Eigen::MatrixXd::Identity(m, m));
      if (llt.info() == Eigen::Success) break;
    }
    factor_.conservativeResize(n + m, n + m);
    factor_.block(n, 0, m, n) = L21.transpose();
    factor_.block(n, n, m, m) = llt.matrixL();
  }

  /// b = L^-1 b.
  template <class Matrix>
  void solve_lower(Matrix& b) const {
    factor_.template triangularView<Eigen::Lower>().solveInPlace(b);
  }
  /// b = L^-T b.
  template <class Matrix>
  void solve_upper(Matrix& b) const {
    factor_.template triangularView<Eigen::Lower>().transpose().solveInPlace(b);
  }
  /// b = K^-1 b.
  template <class Matrix>
  void solve(Matrix& b) const {
    solve_lower(b);
    solve_upper(b);
  }

 private:
  double jitter_;
  Eigen::MatrixXd factor_;
};

}  // namespace quoin::kernel_detail
