// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin {

/// The norm in which the error of a value is stated: |W v| of all N outputs, or |W C v| of a functional C of them; and
/// how much each output counts in it.
class ErrorNorm {
 public:
  /// weights: of the outputs, or of the rows of the functional; empty for the root mean square. Throws
  /// std::invalid_argument for weights that do not fit, with `who` in front.
  explicit ErrorNorm(Eigen::Index outputs, Eigen::VectorXd weights = {}, const Eigen::MatrixXd& functional = {},
                     const char* who = "ErrorNorm") {
    if (functional.size() == 0) {
      weights_ = WeightedNorm(outputs, std::move(weights), who).weights();
      return;
    }
    weighted_functional_ = WeightedNorm(functional.rows(), std::move(weights), who).weights().asDiagonal() * functional;
    weights_.resize(weighted_functional_.cols());
    for (Eigen::Index i = 0; i < weights_.size(); ++i) weights_[i] = stable_norm(weighted_functional_.col(i));
  }

  /// |W v|, or |W C v|.
  double operator()(const Eigen::VectorXd& v) const {
    return weighted_functional_.size() == 0 ? of_each(v) : stable_norm(weighted_functional_ * v);
  }
  /// The same without what cancels in C v: the outputs' own norms, squared and summed.
  double of_each(const Eigen::VectorXd& v) const { return stable_norm(v.cwiseProduct(weights_)); }

  /// N: the norm of each output alone. Zero for those that it does not see.
  const Eigen::VectorXd& weights() const { return weights_; }

 private:
  Eigen::VectorXd weights_;
  Eigen::MatrixXd weighted_functional_;
};

}  // namespace quoin
