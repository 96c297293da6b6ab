// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace quoin::identification::detail {

/// How a least squares estimate scatters with errors that are independent, of whatever sizes, and how well so many of
/// them tell this.
class Leverage {
 public:
  /// seen: the Jacobian times `back`, numbers x rank, its columns orthonormal; back: parameters x rank.
  Leverage(Eigen::MatrixXd seen, Eigen::MatrixXd back);

  /// Of parameter j's estimate, from the errors left, each squared over 1 less its leverage: what its own pull has
  /// taken of it (MacKinnon, White, "Some heteroskedasticity-consistent covariance matrix estimators with improved
  /// finite sample properties", J. Econometrics 29, 1985: HC2).
  double deviation(Eigen::Index j, const Eigen::VectorXd& errors) const;

  /// Of this deviation: few where few numbers tell of the parameter (Bell, McCaffrey, "Bias reduction in standard
  /// errors for linear regression with multi-stage samples", Survey Methodology 28, 2002), at most numbers less rank.
  double degrees_of_freedom(Eigen::Index j) const;

 private:
  Eigen::VectorXd influence(Eigen::Index j) const { return seen_ * back_.row(j).transpose(); }

  Eigen::MatrixXd seen_, back_;
  Eigen::VectorXd left_;  // 1 - leverage of each number
};

}  // namespace quoin::identification::detail
