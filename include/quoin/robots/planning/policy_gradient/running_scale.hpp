// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// Mean and variance of all columns seen so far, to bring observations to the same scale.
struct RunningScale {
  Eigen::VectorXd mean = {};      ///< of the columns seen
  Eigen::VectorXd variance = {};  ///< of the columns seen
  double count = 0;               ///< columns seen

  /// The identity, until columns are added.
  static RunningScale identity(Eigen::Index size) {
    return {Eigen::VectorXd::Zero(size), Eigen::VectorXd::Ones(size), 0};
  }

  /// columns: size x M (moments of two samples combined: Chan, Golub, LeVeque 1983).
  void add(const Eigen::MatrixXd& columns) {
    if (columns.cols() == 0) return;
    const double more = static_cast<double>(columns.cols()), all = count + more;
    const Eigen::VectorXd their_mean = columns.rowwise().mean();
    const Eigen::VectorXd theirs = (columns.colwise() - their_mean).array().square().rowwise().mean();
    const Eigen::VectorXd apart = their_mean - mean;
    variance = ((count * variance + more * theirs).array() + count * more / all * apart.array().square()) / all;
    mean += more / all * apart;
    count = all;
  }

  /// 1 / standard deviation, with 1e-8 added to the variance.
  Eigen::VectorXd inverse_deviation() const { return (variance.array() + 1e-8).rsqrt(); }

  /// (x - mean) / standard deviation, column by column.
  Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    return inverse_deviation().asDiagonal() * (X.colwise() - mean);
  }
};

}  // namespace quoin::planning
