// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace quoin::fluidic_arm::detail {

/// A mass matrix by Cholesky's factors, rows and columns first divided by the roots of its diagonal: units of the
/// coordinates and masses of different sizes then do not matter. That a factorization runs to its end tells little:
/// one of a matrix that is singular, or a little indefinite, does so as rounding has it.
class MassFactor {
 public:
  /// False where the matrix is not positive definite, or so nearly not that rounding determines what `solve` gives: its
  /// condition is beyond 3e10, by Higham's estimate in the 1-norm, which is between that in the 2-norm and n times it.
  bool compute(const Eigen::Ref<const Eigen::MatrixXd>& M);

  /// M^-1 B.
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const;

 private:
  Eigen::VectorXd root_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace quoin::fluidic_arm::detail
