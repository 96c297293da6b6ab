// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>

#include <algorithm>

namespace quoin::soft_arm {

/// Steps of a simplified Newton method, whose matrix is kept, that learn from the steps before (Anderson 1965; type II,
/// Walker and Ni 2011): where the matrix is out of date in a few directions only, a few steps make up for it.
class AndersonMixing {
 public:
  void forget() { kept_ = 0; }

  /// Replaces the step of the simplified method, from where the last one returned by this led, by a better one.
  void improve(Eigen::VectorXd& step) {
    const Eigen::Index n = step.size();
    if (kept_ == 0) {
      moves_.resize(n, depth);
      changes_.resize(n, depth);
    } else {
      changes_.col((kept_ - 1) % depth) = step - plain_;
    }
    plain_ = step;
    if (kept_ > 0) {
      const auto used = std::min(kept_, depth);
      const Eigen::VectorXd weights = changes_.leftCols(used).colPivHouseholderQr().solve(step);
      step.noalias() -= moves_.leftCols(used) * weights;
      step.noalias() -= changes_.leftCols(used) * weights;
    }
    moves_.col(kept_ % depth) = step;
    ++kept_;
  }

 private:
  static constexpr Eigen::Index depth = 5;

  Eigen::Index kept_ = 0;
  Eigen::MatrixXd moves_, changes_;  // in turns
  Eigen::VectorXd plain_;
};

}  // namespace quoin::soft_arm
