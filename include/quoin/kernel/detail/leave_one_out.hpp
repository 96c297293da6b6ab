// SPDX-License-Identifier: BSD-3-Clause
// How well the samples predict each other: what chooses the length scales and calibrates an error estimate.
#pragma once

#include "quoin/kernel/detail/block_cholesky.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quoin::kernel_detail {

/// The blocks of K^-1 on its diagonal, of `block` rows each, kept up as the factor of K grows by one block at a time.
///
///   InverseBlocks inverse(q);
///   factor.append(K21, K22);  // q more rows
///   inverse.append(factor);   // O(q n^2), as the factor itself
///
/// K^-1 = L^-T L^-1 is a sum over blocks of rows of L^-1, and a new block of K adds one of them.
class InverseBlocks {
 public:
  explicit InverseBlocks(Eigen::Index block = 1) : block_(block) {}

  Eigen::Index count() const { return stacked_.rows() / block_; }
  Eigen::Index block() const { return block_; }
  auto operator[](Eigen::Index sample) const { return stacked_.middleRows(sample * block_, block_); }

  void append(const BlockCholesky& factor) {
    // The new rows of L^-1, transposed, are the last columns of L^-T.
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(factor.size(), block_);
    rows.bottomRows(block_).setIdentity();
    factor.solve_upper(rows);
    stacked_.conservativeResize(factor.size(), block_);
    stacked_.bottomRows(block_).setZero();
    for (Eigen::Index row = 0; row < factor.size(); row += block_) {
      const auto part = rows.middleRows(row, block_);
      stacked_.middleRows(row, block_) += part.lazyProduct(part.transpose());
    }
  }

 private:
  Eigen::Index block_;
  Eigen::MatrixXd stacked_;  // n x block
};

/// The error of the prediction of one sample by all others, with the deviation that they leave there.
struct LeftOut {
  double error = 0;
  double sigma = 1;
};

/// A sample without which all others predict it, its value and the derivative along the axis predicted worst.
struct LeftOutSample {
  LeftOut value, gradient;  ///< of the derivative times the length scale
  int axis = 0;             ///< of that derivative
};

/// The first of some samples of q derivatives each, from the errors and the covariance of their joint prediction.
template <int Dim>
LeftOutSample first_left_out(const Eigen::MatrixXd& errors, const Eigen::MatrixXd& covariance, Eigen::Index q,
                             const WeightedNorm& norm) {
  const auto left_out = [&](Eigen::Index i) { return LeftOut{norm(errors.col(i)), std::sqrt(covariance(i, i))}; };
  LeftOutSample sample{.value = left_out(0), .gradient = {}};
  for (Eigen::Index i = 1; i <= std::min<Eigen::Index>(Dim, q - 1); ++i) {
    const LeftOut derivative = left_out(i);
    if (i > 1 && derivative.error * sample.gradient.sigma <= sample.gradient.error * derivative.sigma) continue;
    sample.gradient = derivative;
    sample.axis = static_cast<int>(i) - 1;
  }
  return sample;
}

/// Without sample s, whose block of K^-1 is A, the others predict its jet with the error A^-1 alpha and the covariance
/// A^-1, alpha being the sample's block of K^-1 Y (Rippa, Adv. Comput. Math. 11 (1999), has single values): one solve
/// with a small matrix instead of a factorization without the sample. coefficients: N x n.
template <int Dim, class Matrix>
std::vector<LeftOutSample> leave_one_out(const InverseBlocks& inverse, const Matrix& coefficients,
                                         const WeightedNorm& norm) {
  const Eigen::Index q = inverse.block();
  std::vector<LeftOutSample> all(static_cast<std::size_t>(inverse.count()));
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::MatrixXd covariance, errors;
  for (Eigen::Index s = 0; s < inverse.count(); ++s) {
    factor.compute(inverse[s]);
    covariance = factor.solve(Eigen::MatrixXd::Identity(q, q));
    errors.noalias() = coefficients.middleCols(s * q, q) * covariance;
    all[static_cast<std::size_t>(s)] = first_left_out<Dim>(errors, covariance, q, norm);
  }
  return all;
}

/// The same of clusters of samples, each left out whole: its first sample, as all outside predict it. A cluster of more
/// than one sample costs a solve with the factor for each of its numbers.
template <int Dim, class Matrix>
std::vector<LeftOutSample> leave_clusters_out(const BlockCholesky& factor, const InverseBlocks& inverse,
                                              const Matrix& coefficients, const std::vector<std::vector<int>>& clusters,
                                              const WeightedNorm& norm) {
  const Eigen::Index q = inverse.block();
  std::vector<LeftOutSample> all;
  all.reserve(clusters.size());
  Eigen::LLT<Eigen::MatrixXd> block;
  Eigen::MatrixXd columns, covariance, of_cluster;
  for (const std::vector<int>& cluster : clusters) {
    const Eigen::Index rows = std::ssize(cluster) * q;
    of_cluster.resize(coefficients.rows(), rows);
    columns.setZero(factor.size(), cluster.size() == 1 ? 0 : rows);
    for (Eigen::Index m = 0; m < std::ssize(cluster); ++m) {
      const Eigen::Index at = cluster[static_cast<std::size_t>(m)] * q;
      of_cluster.middleCols(m * q, q) = coefficients.middleCols(at, q);
      if (cluster.size() > 1) columns.block(at, m * q, q, q).setIdentity();
    }
    if (cluster.size() == 1) {
      block.compute(inverse[cluster[0]]);
    } else {
      factor.solve_lower(columns);
      block.compute(columns.transpose() * columns);
    }
    covariance = block.solve(Eigen::MatrixXd::Identity(rows, rows));
    all.push_back(first_left_out<Dim>(of_cluster * covariance, covariance, q, norm));
  }
  return all;
}

}  // namespace quoin::kernel_detail
