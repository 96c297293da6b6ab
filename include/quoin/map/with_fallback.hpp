// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The largest allowed errors of the value and of the Jacobian, as an Answer gives them.
struct AllowedError {
  double value = std::numeric_limits<double>::infinity();  ///< of the value: positive, in the norm below
  /// Of the largest column of the Jacobian: positive, in the same norm.
  double jacobian = std::numeric_limits<double>::infinity();
  /// The norm in which both maps give their errors; empty: the root mean square over the outputs.
  Eigen::VectorXd output_weights = {};
};

/// Answers with the first map where its stated error is allowed, and with the second elsewhere. See with_fallback.
template <int Dim, class First, class Second>
class FallbackMap {
 public:
  /// See with_fallback.
  FallbackMap(First first, Second second, AllowedError allowed)
      : first_(std::move(first)),
        second_(std::move(second)),
        allowed_(std::move(allowed)),
        norm_(first_.output_size(), allowed_.output_weights, "with_fallback") {
    if (first_.output_size() != second_.output_size())
      throw std::invalid_argument("with_fallback: the first map has " + to_text(first_.output_size()) +
                                  " outputs, the second " + to_text(second_.output_size()));
    if (!(allowed_.value > 0) || !(allowed_.jacobian > 0))
      throw std::invalid_argument("with_fallback: allowed errors " + to_text(allowed_.value) + " and " +
                                  to_text(allowed_.jacobian) + " must be positive");
  }

  Eigen::Index output_size() const { return first_.output_size(); }

  /// The value is the same whether or not the Jacobian is asked for: both errors must be allowed for the first map.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const Answer first = quoin::try_evaluate<Dim>(first_, x, y, J);
    if (is_allowed(first)) return first;
    const Eigen::VectorXd first_y = y;
    const Eigen::MatrixXd first_J = J;
    const Answer second = second_.evaluate(x, y, J);
    compare(first, first_y, first_J, second, y, J);
    return second;
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd first_y;
    Eigen::MatrixXd first_J;
    const Answer first = quoin::try_evaluate<Dim>(first_, x, first_y, first_J);
    if (is_allowed(first)) {
      y.swap(first_y);
      J.swap(first_J);
      return first;
    }
    const Answer second = quoin::try_evaluate<Dim>(second_, x, y, J);
    compare(first, first_y, first_J, second, y, J);
    return second;
  }

  /// The first map's errors have been found to be up to this many times as large as it said, at least 1.
  double excess() const { return excess_->load(); }

 private:
  static bool is_known(const Answer& answer) { return answer.trust <= Trust::estimated; }

  // An unknown error (NaN), and one that is no more than indicated, is allowed only if every error is.
  bool is_allowed(const Answer& answer) const {
    const double excess = excess_->load();
    const auto within = [&](double error, double allowed) {
      return std::isinf(allowed) || (is_known(answer) && excess * error <= allowed);
    };
    return answer.has_value() && within(answer.error, allowed_.value) &&
           within(answer.jacobian_error, allowed_.jacobian);
  }

  // What the second map's own error can explain of a difference is not held against the first.
  void compare(const Answer& first, const Eigen::VectorXd& first_y, const Eigen::MatrixXd& first_J,
               const Answer& second, const Eigen::VectorXd& y, const Eigen::MatrixXd& J) const {
    if (!is_known(first) || !is_known(second)) return;
    const auto raise = [&](double difference, double error, double other) {
      const double ratio = (difference - (other > 0 ? other : 0)) / error;
      if (!std::isfinite(ratio)) return;
      for (double known = excess_->load(); ratio > known && !excess_->compare_exchange_weak(known, ratio);) {
      }
    };
    raise(norm_(y - first_y), first.error, second.error);
    double column = 0;
    for (int j = 0; j < Dim; ++j) column = std::max(column, norm_(J.col(j) - first_J.col(j)));
    raise(column, first.jacobian_error, second.jacobian_error);
  }

  First first_;
  Second second_;
  AllowedError allowed_;
  WeightedNorm norm_;
  std::shared_ptr<std::atomic<double>> excess_ = std::make_shared<std::atomic<double>>(1);
};

/// Combines a cheap map that states its error, such as a kernel, with a more reliable one, such as a grid to a
/// tolerance, for where that error is too large:
///
///   auto map = with_fallback<4>(kernel.view(), grid.at_tolerance(1e-6), {.value = 1e-6, .jacobian = 1e-4});
///
/// Where the answering map changes, values jump by up to the errors of both. Wherever the second was asked both are
/// known: if the first was further off than it said, by some factor, its errors count as that many times larger from
/// then on, so that a point which the first map answered may be the second's when it is asked again. Copies share what
/// they found. An error that is no more than indicated is not relied on.
///
/// Throws std::invalid_argument if the maps differ in outputs, or an allowed error is not positive.
template <int Dim, class First, class Second>
  requires DifferentiableMap<First, Dim> && DifferentiableMap<Second, Dim>
auto with_fallback(First first, Second second, AllowedError allowed) {
  return FallbackMap<Dim, First, Second>(std::move(first), std::move(second), allowed);
}

}  // namespace quoin
