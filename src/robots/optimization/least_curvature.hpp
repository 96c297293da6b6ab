// SPDX-License-Identifier: BSD-3-Clause
// Where a factorization's inertia does not tell: the least curvature on what rows leave free, from a basis of that.
#pragma once

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>

#include <optional>
#include <vector>

namespace quoin::optimization {

/// Of the curvatures d^T H d/d^T d along directions d that the rows leave at zero and that move no variable that is
/// held: the least, and its direction. H may be singular, and rows may depend on each other. Nothing if all is held, if
/// more than `most` dimensions are left free, or if the rows do not depend on each other and `told` says that the
/// inertia has told then.
struct LeastCurvature {
  Eigen::VectorXd direction;
  double curvature = 0;
};

inline std::optional<LeastCurvature> least_curvature(const Eigen::SparseMatrix<double>& H,
                                                     const Eigen::SparseMatrix<double>& rows,
                                                     const std::vector<bool>& held, bool told,
                                                     Eigen::Index most = 1000) {
  using Sparse = Eigen::SparseMatrix<double>;
  const Eigen::Index n = H.cols();
  std::vector<Eigen::Triplet<double>> chosen;
  Eigen::Index free = 0;
  for (Eigen::Index j = 0; j < n; ++j)
    if (!held[static_cast<std::size_t>(j)]) chosen.emplace_back(static_cast<int>(j), static_cast<int>(free++), 1.);
  if (free == 0) return std::nullopt;
  Sparse of_free(n, free);
  of_free.setFromTriplets(chosen.begin(), chosen.end());
  Eigen::MatrixXd basis;
  if (rows.rows() == 0) {
    if (told || free > most) return std::nullopt;
    basis.setIdentity(free, free);
  } else {
    Sparse across = (rows * of_free).transpose();
    across.makeCompressed();
    Eigen::SparseQR<Sparse, Eigen::COLAMDOrdering<int>> factors;
    factors.setPivotThreshold(1e-9);  // of rows of about size 1
    factors.compute(across);
    const Eigen::Index left = free - factors.rank();
    if (factors.info() != Eigen::Success || left == 0 || left > most) return std::nullopt;
    if (told && factors.rank() == rows.rows()) return std::nullopt;
    Eigen::MatrixXd last = Eigen::MatrixXd::Zero(free, left);
    last.bottomRows(left).setIdentity();
    basis = factors.matrixQ() * last;
  }
  basis = of_free * basis;
  const linear_algebra::SymmetricEigen eigen(basis.transpose() * (H * basis));
  return LeastCurvature{.direction = basis * eigen.eigenvectors().col(0), .curvature = eigen.eigenvalues()[0]};
}

}  // namespace quoin::optimization
