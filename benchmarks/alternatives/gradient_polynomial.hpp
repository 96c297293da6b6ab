// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <vector>

namespace benchmarks {

/// A polynomial of total degree p over a box, fitted by least squares to values and gradients at quasi-random points of
/// Chebyshev's density. It shows what gradients gain for a global polynomial. One evaluation gives 1 + dim data, and
/// there are one and a half times as many data as the C(dim + p, p) coefficients. A query of value and Jacobian costs 1
/// + dim multiplications per output and coefficient.
class GradientPolynomial {
 public:
  GradientPolynomial(const SampledFunction& f, const Box& box, int degree);

  Eigen::Index evaluations() const { return evaluations_; }
  static Eigen::Index coefficients(int dim, int degree);

  /// y: outputs. J: outputs x dim.
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  /// (1 + dim) x coefficients: the basis functions and their derivatives.
  Eigen::MatrixXd basis(const Eigen::VectorXd& x) const;

  Box box_;
  int degree_;
  Eigen::Index evaluations_;
  std::vector<std::vector<int>> indices_;
  Eigen::MatrixXd coefficients_;  // outputs x coefficients
};

/// The m-th point of Halton's sequence in the unit cube, m >= 0.
Eigen::VectorXd halton_point(int dim, int m);

}  // namespace benchmarks
