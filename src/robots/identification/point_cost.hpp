// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

namespace quoin::identification::detail {

/// The cost of points' errors e, block by block: the sum of hypot(|e_k|, smoothing), or half the sum of squares.
struct PointCost {
  int block_size = 2;      ///< rows of a point
  bool by_norms = true;    ///< otherwise least squares
  double smoothing = 0;    ///< in units of the outputs; of norms
  Eigen::VectorXd counts;  ///< how often each point counts; empty: once

  /// Of the cost as a function of parameters, from the Jacobian of e.
  struct Model {
    Eigen::VectorXd gradient, diagonal;  ///< diagonal: of the majorizer
    Eigen::MatrixXd hessian;             ///< its lower half
  };

  Eigen::Index points(const Eigen::VectorXd& e) const { return e.size() / block_size; }
  /// Less points(e) smoothing for norms, without cancellation.
  double value(const Eigen::VectorXd& e) const;
  /// curved: with the norms' own curvature, otherwise that of the majorizer of iteratively reweighted least squares.
  Model model(const Eigen::VectorXd& e, const Eigen::MatrixXd& jacobian, bool curved) const;

 private:
  double count(Eigen::Index k) const { return counts.size() == 0 ? 1 : counts[k]; }
  double weight(const Eigen::VectorXd& e, Eigen::Index k) const;
};

/// How an estimate that minimizes the cost of e + jacobian s, from s = 0, scatters with the noise: its moves when every
/// point counts a random number of times (Jin, Ying, Wei, "A simple resampling method by perturbing the minimand",
/// Biometrika 88, 2001): the mean of eight exponentials of mean 1, and sqrt(8) times the move. parameters x draws;
/// always the same draws.
Eigen::MatrixXd moves_under_random_counts(PointCost cost, const Eigen::VectorXd& e, const Eigen::MatrixXd& jacobian,
                                          int draws);

/// The 97.5 % quantile of Student's t, from one degree of freedom on: an interval of 95 % reaches so many deviations to
/// either side.
double student_quantile(double degrees_of_freedom);

}  // namespace quoin::identification::detail
