// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

namespace quoin::linear_algebra {

/// Eigenvalues and eigenvectors of a symmetric matrix, n x n, by Eigen's solver, which takes seconds to compile
/// wherever it stands. Reads the lower triangle.
class SymmetricEigen {
 public:
  explicit SymmetricEigen(const Eigen::Ref<const Eigen::MatrixXd>& A);

  const Eigen::VectorXd& eigenvalues() const { return values_; }    ///< n, ascending
  const Eigen::MatrixXd& eigenvectors() const { return vectors_; }  ///< n x n, of length 1, a column each

 private:
  Eigen::VectorXd values_;
  Eigen::MatrixXd vectors_;
};

}  // namespace quoin::linear_algebra
