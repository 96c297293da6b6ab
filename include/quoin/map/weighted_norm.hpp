// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// |v|_2, also where squares of v's numbers overflow or vanish. One function for all kinds of expressions, because each
/// call of Eigen's stableNorm() on a type of its own takes 0.1 s to compile.
inline double stable_norm(const Eigen::Ref<const Eigen::VectorXd>& v) {
  const double squares = v.squaredNorm();
  if (squares > 1e-280 && squares < 1e280) return std::sqrt(squares);
  double largest = 0, sum = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (std::isnan(v[i])) return v[i];
    largest = std::max(largest, std::abs(v[i]));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  for (Eigen::Index i = 0; i < v.size(); ++i) sum += v[i] / largest * (v[i] / largest);
  return largest * std::sqrt(sum);
}

/// |W v|_2 with a diagonal W: the norm in which tolerances and errors are given. By default W = 1/sqrt(N), the root
/// mean square over the outputs.
class WeightedNorm {
 public:
  /// weights: N, not negative and not all zero, or empty for the default. Throws std::invalid_argument.
  WeightedNorm(Eigen::Index outputs, Eigen::VectorXd weights, const char* who) : weights_(std::move(weights)) {
    if (weights_.size() == 0) {
      weights_ = Eigen::VectorXd::Constant(outputs, 1 / std::sqrt(static_cast<double>(outputs)));
      return;
    }
    if (weights_.size() != outputs)
      throw std::invalid_argument(std::string(who) + ": " + to_text(weights_.size()) + " output weights for " +
                                  to_text(outputs) + " outputs");
    for (Eigen::Index i = 0; i < outputs; ++i)
      if (!(weights_[i] >= 0) || !std::isfinite(weights_[i]))
        throw std::invalid_argument(std::string(who) + ": output weight " + to_text(i) + " = " + to_text(weights_[i]) +
                                    " is negative or not finite");
    if (!(weights_.maxCoeff() > 0)) throw std::invalid_argument(std::string(who) + ": all output weights are zero");
  }

  /// |W v| of a v of N numbers, without overflow.
  double operator()(const Eigen::Ref<const Eigen::VectorXd>& v) const { return stable_norm(v.cwiseProduct(weights_)); }

  /// N: the diagonal of W.
  const Eigen::VectorXd& weights() const { return weights_; }

  /// The norm of a vector of ones.
  double of_ones() const { return stable_norm(weights_); }

 private:
  Eigen::VectorXd weights_;
};

}  // namespace quoin
