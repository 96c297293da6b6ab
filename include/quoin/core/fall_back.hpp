// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The largest allowed errors of the value and of the Jacobian, as an Answer gives them.
struct AllowedError {
  double value = std::numeric_limits<double>::infinity();
  double jacobian = std::numeric_limits<double>::infinity();
};

/// Answers with the first map where its stated error is allowed, and with the second elsewhere. See fall_back.
template <int Dim, class First, class Second>
class FallBackMap {
 public:
  FallBackMap(First first, Second second, AllowedError allowed)
      : first_(std::move(first)), second_(std::move(second)), allowed_(allowed) {
    if (first_.output_size() != second_.output_size())
      throw std::invalid_argument("fall_back: the first map has " + to_text(first_.output_size()) +
                                  " outputs, the second " + to_text(second_.output_size()));
    if (!(allowed.value > 0) || !(allowed.jacobian > 0))
      throw std::invalid_argument("fall_back: allowed errors " + to_text(allowed.value) + " and " +
                                  to_text(allowed.jacobian) + " must be positive");
  }

  Eigen::Index output_size() const { return first_.output_size(); }

  /// The value is the same whether or not the Jacobian is asked for: both errors must be allowed for the first map.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const Answer answer = quoin::try_evaluate<Dim>(first_, x, y, J);
    return is_allowed(answer) ? answer : second_.evaluate(x, y, J);
  }
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::VectorXd first_y;
    Eigen::MatrixXd first_J;
    const Answer answer = quoin::try_evaluate<Dim>(first_, x, first_y, first_J);
    if (!is_allowed(answer)) return quoin::try_evaluate<Dim>(second_, x, y, J);
    y.swap(first_y);
    J.swap(first_J);
    return answer;
  }

 private:
  // An unknown error (NaN) is allowed only if every error is.
  bool is_allowed(const Answer& answer) const {
    const auto within = [](double error, double allowed) { return error <= allowed || std::isinf(allowed); };
    return answer.has_value() && within(answer.error, allowed_.value) &&
           within(answer.jacobian_error, allowed_.jacobian);
  }

  First first_;
  Second second_;
  AllowedError allowed_;
};

/// Combines a cheap map that states its error, such as a kernel, with a more reliable one, such as a grid to a
/// tolerance, for where that error is too large:
///
///   auto map = fall_back<4>(kernel.view(), grid.at_tolerance(1e-6), {.value = 1e-6, .jacobian = 1e-4});
///
/// Where the answering map changes, values jump by up to the errors of both. Throws std::invalid_argument if the maps
/// differ in outputs, or an allowed error is not positive.
template <int Dim, class First, class Second>
  requires DifferentiableMap<First, Dim> && DifferentiableMap<Second, Dim>
auto fall_back(First first, Second second, AllowedError allowed) {
  return FallBackMap<Dim, First, Second>(std::move(first), std::move(second), allowed);
}

}  // namespace quoin
