// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <map>
#include <vector>

namespace benchmarks {

/// An adaptive sparse grid over a box: hierarchical Lagrange interpolation at R-Leja points
/// (Chkifa, Cohen, Schwab 2014),
///
///     I f(x) = sum over nu of s_nu prod_i h_{nu_i}(x_i),   h_k(t) = prod_{j<k} (t - t_j) / (t_k - t_j),
///
/// with one point and one surplus s_nu = f(x_nu) - I f(x_nu) for each multi-index. The set of indices is closed
/// downwards and grows greedily: of the indices that may still grow, the one with the largest surplus gets its
/// admissible neighbours (Gerstner and Griebel 2003); every eighth time it is the oldest, since a surplus may vanish by
/// symmetry. All neighbours are evaluated and counted. Values only; outside the box the polynomial is extrapolated. A
/// query of value and Jacobian costs 1 + dim multiplications per output and point.
class LejaSparseGrid {
 public:
  LejaSparseGrid(SampledFunction f, Box box);

  /// Adds points until there are at least `evaluations`.
  void refine(Eigen::Index evaluations);
  Eigen::Index evaluations() const { return static_cast<Eigen::Index>(indices_.size()); }

  /// The point of the m-th evaluation.
  Eigen::VectorXd point(Eigen::Index m) const;

  /// y: outputs. J: outputs x dim.
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  using Index = std::vector<int>;
  void add(const Index& index);

  SampledFunction f_;
  Box box_;
  Eigen::VectorXd nodes_, denominators_;
  Eigen::MatrixXd at_nodes_;  // [k][m]: h_k(t_m), 0 for m < k
  std::vector<Index> indices_;
  std::map<Index, Eigen::Index> position_;
  std::vector<double> size_;  // of the surpluses
  std::vector<bool> grown_;
  Eigen::MatrixXd surplus_;  // outputs x capacity
  int steps_ = 0, highest_ = 0;
};

}  // namespace benchmarks
