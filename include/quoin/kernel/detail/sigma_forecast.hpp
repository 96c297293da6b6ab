// SPDX-License-Identifier: BSD-3-Clause
// Before samples are taken: how many it will take until sigma is small, since sigma depends only on where they are.
#pragma once

#include "quoin/kernel/detail/block_cholesky.hpp"
#include "quoin/kernel/detail/kernel_samples.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace quoin::kernel_detail {

/// Takes samples in thought: those that are there, then, one by one, the point of X (Dim x M) with the largest sigma of
/// the value, as KernelSurrogate::refine_at would. The samples must not be local. A step costs O(q n M) for q
/// derivatives after n known numbers.
template <int Dim>
class SigmaForecast {
 public:
  SigmaForecast(const KernelSamples<Dim>& samples, const Eigen::Ref<const Eigen::MatrixXd>& X)
      : samples_(samples), X_(X), factor_(samples.patch(0).factor) {
    Eigen::MatrixXd rows(factor_.size(), X.cols());
    for (Eigen::Index m = 0; m < X.cols(); ++m) samples.correlate(samples.patch(0), X_.col(m), rows.col(m));
    factor_.solve_lower(rows);
    left_ = 1 - rows.colwise().squaredNorm().transpose().array();
    explained_ = rows.transpose();
    for (int s = 0; s < samples.size(); ++s) points_.push_back(samples.point(s));
  }

  int size() const { return static_cast<int>(points_.size()); }
  /// The largest sigma over X.
  double largest() const { return std::sqrt(std::max(left_.maxCoeff(), samples_.options().jitter)); }

  /// Takes that point of X, of those that have not been taken. Returns its number, or nothing where there is none.
  std::optional<Eigen::Index> take_worst() {
    std::optional<Eigen::Index> worst;
    for (Eigen::Index m = 0; m < X_.cols(); ++m)
      if ((!worst || left_[m] > left_[*worst]) && !is_taken(X_.col(m))) worst = m;
    if (worst) take(X_.col(*worst));
    return worst;
  }

  /// The number of samples with which sigma is at most `bound` at all X; infinite if `most` do not suffice.
  double samples_until(double bound, int most) {
    while (largest() > bound)
      if (size() >= most || !take_worst()) return std::numeric_limits<double>::infinity();
    return size();
  }

 private:
  bool is_taken(const Point<Dim>& x) const { return std::find(points_.begin(), points_.end(), x) != points_.end(); }

  void take(const Point<Dim>& x) {
    const int q = samples_.derivatives(), order = samples_.order();
    const Eigen::Index n = factor_.size();
    Eigen::MatrixXd K21(q, n), K22(q, q), rows(q, X_.cols());
    const auto fill = [&](const Point<Dim>& other, int other_order, Eigen::Ref<Eigen::MatrixXd> block) {
      samples_.correlation().fill(x, order, other, other_order,
                                  [&](Eigen::Index a, Eigen::Index b) -> double& { return block(a, b); });
    };
    Eigen::Index column = 0;
    for (const Point<Dim>& known : points_) {
      fill(known, order, K21.middleCols(column, q));
      column += q;
    }
    fill(x, order, K22);
    for (Eigen::Index m = 0; m < X_.cols(); ++m) fill(X_.col(m), 0, rows.col(m));
    factor_.append(K21, K22);

    // The new rows of L^-1 k for all queries: what the sample explains of them beyond those before it.
    rows.noalias() -= factor_.factor().block(n, 0, q, n) * explained_.transpose();
    factor_.factor().bottomRightCorner(q, q).template triangularView<Eigen::Lower>().solveInPlace(rows);
    left_ -= rows.colwise().squaredNorm().transpose().array();
    explained_.conservativeResize(Eigen::NoChange, n + q);
    explained_.rightCols(q) = rows.transpose();
    points_.push_back(x);
  }

  const KernelSamples<Dim>& samples_;
  Eigen::MatrixXd X_;
  BlockCholesky factor_;
  Eigen::MatrixXd explained_;  // (L^-1 k)^T, M x n
  Eigen::ArrayXd left_;        // sigma^2
  std::vector<Point<Dim>> points_;
};

}  // namespace quoin::kernel_detail
