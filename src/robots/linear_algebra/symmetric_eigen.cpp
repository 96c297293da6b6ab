// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace quoin::linear_algebra {

SymmetricEigen::SymmetricEigen(const Eigen::Ref<const Eigen::MatrixXd>& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  values_ = solver.eigenvalues();
  vectors_ = solver.eigenvectors();
}

}  // namespace quoin::linear_algebra
