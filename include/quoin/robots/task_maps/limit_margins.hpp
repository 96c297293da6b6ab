// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <utility>

namespace quoin {

/// The signed lengths by which coordinates are within a margin of their limits or beyond them, as a task map of any
/// environment: y_i = max(0, q_i - (upper_i - margin)) + min(0, q_i - (lower_i + margin)), n numbers that should
/// vanish.
///
///     LimitMargins margins(limits.lower, limits.upper, 0.02);
///     margins.evaluate(q, environment, y, J);  // y: n, J: n x n, diagonal
///
/// Infinite limits do not count. Throws std::invalid_argument for limits of different length, or closer than 2 margin,
/// and for a q of another size.
class LimitMargins {
 public:
  /// margin: in the units of q, not negative.
  LimitMargins(Eigen::VectorXd lower, Eigen::VectorXd upper, double margin)
      : lower_(std::move(lower)), upper_(std::move(upper)), margin_(margin) {
    if (lower_.size() != upper_.size())
      throw std::invalid_argument("LimitMargins: " + to_text(lower_.size()) + " lower and " + to_text(upper_.size()) +
                                  " upper limits");
    for (Eigen::Index i = 0; i < lower_.size(); ++i)
      if (!(upper_[i] - lower_[i] >= 2 * margin_) || !(margin_ >= 0))
        throw std::invalid_argument("LimitMargins: limits " + to_text(lower_[i]) + " and " + to_text(upper_[i]) +
                                    " of coordinate " + to_text(i) + " leave nothing with a margin of " +
                                    to_text(margin_));
  }

  /// n.
  template <class Environment>
  Eigen::Index output_size(const Environment&) const {
    return lower_.size();
  }

  /// y: n.
  template <class Environment>
  void evaluate(const Eigen::VectorXd& q, const Environment&, Eigen::VectorXd& y) const {
    if (q.size() != lower_.size())
      throw std::invalid_argument("LimitMargins: limits of " + to_text(lower_.size()) + " coordinates for " +
                                  to_text(q.size()));
    y = ((q - upper_).array() + margin_).max(0) + ((q - lower_).array() - margin_).min(0);
  }

  /// J: n x n, diagonal: 1 where y_i is not 0.
  template <class Environment>
  void evaluate(const Eigen::VectorXd& q, const Environment& environment, Eigen::VectorXd& y,
                Eigen::MatrixXd& J) const {
    evaluate(q, environment, y);
    J = y.unaryExpr([](double passed) { return passed == 0 ? 0.0 : 1.0; }).asDiagonal();
  }

 private:
  Eigen::VectorXd lower_, upper_;
  double margin_;
};

}  // namespace quoin
