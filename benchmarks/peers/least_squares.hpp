// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"

#include <Eigen/Core>

namespace benchmarks {

/// 1/2 |r(x)|^2 to be minimized in a box, whose Jacobian comes as a whole.
struct LeastSquaresProblem {
  optimization::ResidualFunction residual;
  optimization::ResidualJacobian jacobian;
  Eigen::Index rows;
  Eigen::VectorXd start, lower, upper;
};

/// Where a solver ended, with the same counts for all.
struct LeastSquaresSolution {
  Eigen::VectorXd x;
  double cost = 0;
  int iterations = 0;
  bool converged = false;
};

/// The relative change of the cost at which Quoin and Ceres end; GSL, which has no such tolerance, ends at relative
/// steps of 1e-6.
constexpr double least_squares_tolerance = 1e-10;

LeastSquaresSolution by_quoin(const LeastSquaresProblem& problem);
#ifdef QUOIN_HAS_CERES
/// Levenberg-Marquardt with dense QR, one thread.
LeastSquaresSolution by_ceres(const LeastSquaresProblem& problem);
#endif
#ifdef QUOIN_HAS_GSL
/// gsl_multifit_nlinear, Levenberg-Marquardt with QR; it knows no bounds, and its own error handler would abort.
LeastSquaresSolution by_gsl(const LeastSquaresProblem& problem);
#endif

}  // namespace benchmarks
