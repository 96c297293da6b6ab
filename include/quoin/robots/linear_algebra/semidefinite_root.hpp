// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <string>

namespace quoin::linear_algebra {

/// The root of a covariance, or of another symmetric positive semidefinite matrix S (n x n), taken in units in which
/// S has ones on its diagonal: what counts as zero, 1e-12, is free of the units of its entries.
class SemidefiniteRoot {
 public:
  /// Throws std::invalid_argument, which `what` begins, for an eigenvalue below zero or entries that differ from the
  /// transpose's.
  SemidefiniteRoot(const Eigen::Ref<const Eigen::MatrixXd>& S, const std::string& what);

  Eigen::Index rank() const { return rank_; }
  /// n x n, S = root root^T; all but the last `rank` columns are zero.
  const Eigen::MatrixXd& root() const { return root_; }
  /// n x n, S inverse = root; all but the last `rank` columns are zero.
  const Eigen::MatrixXd& inverse() const { return inverse_; }

 private:
  Eigen::Index rank_ = 0;
  Eigen::MatrixXd root_, inverse_;
};

}  // namespace quoin::linear_algebra
