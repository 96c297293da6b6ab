// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// A task's cost c(x) near a state: exp{-c(x)} is about exp{-1/2 x^T R x + r^T x}, up to a factor. The 1/2 is part of
/// the convention: c = 1/2 rho |phi(x) - y|^2 has precision R = rho J^T J, and 1/2 u^T H u has covariance H^-1. (Where
/// costs are written without it, x^T R x + u^T H u, the means are the same and every covariance is halved.)
struct LocalTask {
  Eigen::MatrixXd R;  ///< n x n, symmetric, not indefinite
  Eigen::VectorXd r;  ///< n; the gradient of c where it was linearized is R x - r
  double cost = 0;    ///< c(x), the true one

  /// R = 0, r = 0, cost = 0, for a state of n numbers.
  void set_zero(Eigen::Index n);

  /// Adds 1/2 |e|^2 of residuals e with derivative J at x (Gauss-Newton). J has as many columns as leading entries of x
  /// that the residuals depend on: d of (q, qd), say. Weights go into both, as square roots.
  void add(const Eigen::VectorXd& e, const Eigen::MatrixXd& J, const Eigen::VectorXd& x);
};

}  // namespace quoin::planning
