// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

namespace benchmarks {

/// The polynomial of degree n - 1 in each variable through the values at a dense tensor grid of n Chebyshev points of
/// the second kind in each direction of a box: n^dim evaluations, all of them in advance. It is the polynomial of the
/// barycentric formula (Berrut and Trefethen 2004), held as Chebyshev coefficients, so that its derivatives need no
/// special case at the points. A query of value and Jacobian costs about 2 n^dim multiplications per output. Outside
/// the box the polynomial is extrapolated.
class ChebyshevInterpolant {
 public:
  ChebyshevInterpolant(const SampledFunction& f, const Box& box, int points_per_axis);

  /// y: outputs. J: outputs x dim.
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  Box box_;
  int n_;
  Eigen::Index outputs_;
  Eigen::VectorXd coefficients_;  // [n^dim][outputs], the first axis varies fastest
};

}  // namespace benchmarks
