// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/box_qp.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin::optimization {

bool BoxQp::factorize(const Eigen::Ref<const Eigen::MatrixXd>& hessian) {
  const auto count = static_cast<Eigen::Index>(free_.size());
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index i = j; i < count; ++i) factor_(i, j) = hessian(free_[i], free_[j]);
  }
  Eigen::Ref<Eigen::MatrixXd> block = factor_.topLeftCorner(count, count);
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower>(block).info() == Eigen::Success;
}

void BoxQp::solve_free(Eigen::Ref<Eigen::MatrixXd> right_sides) const {
  const auto count = static_cast<Eigen::Index>(free_.size());
  if (packed_.rows() < right_sides.rows() || packed_.cols() < right_sides.cols()) {
    packed_.resize(right_sides.rows(), right_sides.cols());
  }
  auto packed = packed_.topLeftCorner(count, right_sides.cols());
  for (Eigen::Index i = 0; i < count; ++i) packed.row(i) = right_sides.row(free_[i]);
  const auto block = factor_.topLeftCorner(count, count);
  block.triangularView<Eigen::Lower>().solveInPlace(packed);
  block.triangularView<Eigen::Lower>().adjoint().solveInPlace(packed);
  right_sides.setZero();
  for (Eigen::Index i = 0; i < count; ++i) right_sides.row(free_[i]) = packed.row(i);
}

BoxQpStatus BoxQp::solve(const Eigen::Ref<const Eigen::MatrixXd>& hessian,
                         const Eigen::Ref<const Eigen::VectorXd>& gradient,
                         const Eigen::Ref<const Eigen::VectorXd>& lower, const Eigen::Ref<const Eigen::VectorXd>& upper,
                         Eigen::Ref<Eigen::VectorXd> x) {
  const Eigen::Index size = gradient.size();
  if (hessian.rows() != size || hessian.cols() != size || lower.size() != size || upper.size() != size ||
      x.size() != size) {
    throw std::invalid_argument("BoxQp::solve: the gradient has " + to_text(size) + " entries, the Hessian is " +
                                shape_text(hessian) + ", the bounds have " + to_text(lower.size()) + " and " +
                                to_text(upper.size()) + ", x has " + to_text(x.size()));
  }
  if (max_iterations < 1)
    throw std::invalid_argument("BoxQp::solve: max_iterations = " + to_text(max_iterations) + " must be at least 1");
  if (factor_.rows() != size) factor_.resize(size, size);
  direction_.resize(size);
  trial_.resize(size);
  product_.resize(size);
  gradient_.resize(size);
  free_.clear();
  x = x.cwiseMax(lower).cwiseMin(upper);

  bool factorized = false, solved_this_set = false;
  const int most = max_iterations - max_iterations / 2;  // an ill-conditioned Hessian can make projected steps crawl
  for (iterations_ = 1; iterations_ <= most; ++iterations_) {
    product_.noalias() = hessian.selfadjointView<Eigen::Lower>() * x;
    gradient_ = gradient + product_;
    const double value = x.dot(gradient + 0.5 * product_);

    candidate_.clear();
    for (Eigen::Index i = 0; i < size; ++i) {
      const bool pressed = (x[i] <= lower[i] && gradient_[i] >= 0) || (x[i] >= upper[i] && gradient_[i] <= 0);
      // A variable whose multiplier is zero to rounding must stay in the set that was just solved, or it would enter
      // and leave forever.
      if (!pressed) candidate_.push_back(i);
    }
    if (!factorized || candidate_ != free_) {
      free_.swap(candidate_);
      if (!factorize(hessian)) return BoxQpStatus::indefinite;
      factorized = true;
    } else if (solved_this_set) {
      return BoxQpStatus::optimal;
    }
    if (free_.empty()) return BoxQpStatus::optimal;

    direction_ = -gradient_;
    solve_free(direction_);
    const double slope = gradient_.dot(direction_);
    double step = 1;
    solved_this_set = false;
    while (true) {
      trial_ = (x + step * direction_).cwiseMax(lower).cwiseMin(upper);
      product_.noalias() = hessian.selfadjointView<Eigen::Lower>() * trial_;
      const double trial_value = trial_.dot(gradient + 0.5 * product_);
      const bool whole = step == 1 && trial_ == x + direction_;
      // The Newton step inside the box minimizes over the free set: rounding in the value must not reject it.
      if (whole || trial_value <= value + 0.1 * gradient_.dot(trial_ - x)) {
        solved_this_set = whole;
        x = trial_;
        break;
      }
      step *= 0.6;
      if (step >= 1e-12 && -step * slope > 1e-17 * std::abs(value)) continue;
      // Either the decrease that is left is below the rounding of doubles, or the bounds bend the path so that only a
      // shorter step than that would go down.
      return may_fall(hessian, lower, upper, x, value) ? follow_bounds(hessian, gradient, lower, upper, x)
                                                       : BoxQpStatus::optimal;
    }
  }
  return follow_bounds(hessian, gradient, lower, upper, x);
}

bool BoxQp::may_fall(const Eigen::Ref<const Eigen::MatrixXd>& hessian, const Eigen::Ref<const Eigen::VectorXd>& lower,
                     const Eigen::Ref<const Eigen::VectorXd>& upper, const Eigen::Ref<const Eigen::VectorXd>& x,
                     double value) const {
  double decrease = 0;  // the largest along one variable alone
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double move = std::clamp(x[i] - gradient_[i] / hessian(i, i), lower[i], upper[i]) - x[i];
    decrease = std::max(decrease, -move * (gradient_[i] + 0.5 * hessian(i, i) * move));
  }
  return decrease > 1e-14 * std::abs(value);
}

BoxQpStatus BoxQp::follow_bounds(const Eigen::Ref<const Eigen::MatrixXd>& hessian,
                                 const Eigen::Ref<const Eigen::VectorXd>& gradient,
                                 const Eigen::Ref<const Eigen::VectorXd>& lower,
                                 const Eigen::Ref<const Eigen::VectorXd>& upper, Eigen::Ref<Eigen::VectorXd> x) {
  const Eigen::Index size = x.size();
  free_.clear();
  for (Eigen::Index i = 0; i < size; ++i)
    if (x[i] > lower[i] && x[i] < upper[i]) free_.push_back(i);
  for (; iterations_ <= max_iterations; ++iterations_) {
    product_.noalias() = hessian.selfadjointView<Eigen::Lower>() * x;
    gradient_ = gradient + product_;
    if (!factorize(hessian)) return BoxQpStatus::indefinite;
    direction_ = -gradient_;
    solve_free(direction_);
    double step = 1;
    Eigen::Index blocking = -1;
    for (const Eigen::Index i : free_) {
      const double room = (direction_[i] > 0 ? upper[i] : lower[i]) - x[i];
      if (direction_[i] == 0 || room / direction_[i] >= step) continue;
      step = std::max(0.0, room / direction_[i]);
      blocking = i;
    }
    for (const Eigen::Index i : free_) x[i] = std::clamp(x[i] + step * direction_[i], lower[i], upper[i]);
    if (blocking >= 0) {
      x[blocking] = direction_[blocking] > 0 ? upper[blocking] : lower[blocking];
      std::erase(free_, blocking);
      continue;
    }
    // The minimum of this face: the variable that gains most off its bound is let go.
    product_.noalias() = hessian.selfadjointView<Eigen::Lower>() * x;
    gradient_ = gradient + product_;
    constexpr double infinite = std::numeric_limits<double>::infinity();  // where the next factorization will refuse
    double most = 0;
    for (Eigen::Index i = 0; i < size; ++i) {
      const bool pressed = gradient_[i] > 0 ? x[i] <= lower[i] : x[i] >= upper[i];
      if (pressed || std::binary_search(free_.begin(), free_.end(), i)) continue;
      double sums = std::abs(gradient[i]);  // of which it is made: less than their rounding is none
      for (Eigen::Index j = 0; j < size; ++j) sums += std::abs(hessian(std::max(i, j), std::min(i, j)) * x[j]);
      const double gain = hessian(i, i) > 0 ? gradient_[i] * gradient_[i] / hessian(i, i) : infinite;
      if (std::abs(gradient_[i]) <= 1e-14 * sums || gain <= most) continue;
      most = gain;
      blocking = i;
    }
    if (blocking < 0) return BoxQpStatus::optimal;
    free_.insert(std::lower_bound(free_.begin(), free_.end(), blocking), blocking);
  }
  return BoxQpStatus::iteration_limit;
}

}  // namespace quoin::optimization
