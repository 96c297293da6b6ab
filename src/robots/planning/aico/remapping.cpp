// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/remapping.hpp"

#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin::planning {

Remapper::Remapper(Eigen::Index coordinates, const Eigen::MatrixXd& metric, const RemapOptions& options)
    : coordinates_(coordinates), options_(options) {
  const Eigen::Index m = metric.rows();
  if (coordinates < 1 || m < 1 || metric.cols() != m || !metric.allFinite()) {
    throw std::invalid_argument("Remapper: " + to_text(coordinates) + " coordinates, a metric of " + to_text(m) +
                                " x " + to_text(metric.cols()) + ", or not finite");
  }
  const OptionsOf of{"Remapper"};
  of.one_or_more("max_iterations", options.max_iterations);
  of.not_negative("max_halvings", options.max_halvings);
  of.not_negative("tolerance", options.tolerance);
  is_diagonal_ = (metric - Eigen::MatrixXd(metric.diagonal().asDiagonal())).isZero(0);
  const linear_algebra::SemidefiniteRoot factor(metric, "Remapper: the metric");
  root_ = is_diagonal_ ? Eigen::MatrixXd(metric.diagonal().cwiseMax(0).cwiseSqrt()) : factor.root().transpose();
}

// All quantities in y are scaled by the root of C; the metric is then the identity, and no inverse of C is needed.
bool Remapper::evaluate(const Eigen::VectorXd& q, const Function& phi, bool with_jacobian, double& cost) {
  ++result_.evaluations;
  if (!q.allFinite() || !phi(q, y_, with_jacobian ? &J_ : nullptr)) return false;
  const Eigen::Index m = target_.size();
  if (y_.size() != m || (with_jacobian && (J_.rows() != m || J_.cols() != coordinates_))) {
    throw std::invalid_argument("Remapper::remap: phi gives " + to_text(y_.size()) + " numbers and J " +
                                shape_text(J_) + " for a target of " + to_text(m) + " and " + to_text(coordinates_) +
                                " coordinates");
  }
  y_ = target_ - y_;
  if (is_diagonal_) {
    error_ = root_.col(0).cwiseProduct(y_);
  } else {
    error_.noalias() = root_ * y_;
  }
  away_ = wanted_ - q;
  cost = away_.squaredNorm() + error_.squaredNorm();
  return std::isfinite(cost);
}

void Remapper::compute_step() {
  if (is_diagonal_) {
    scaled_ = J_;
    scaled_.array().colwise() *= root_.col(0).array();
  } else {
    scaled_.noalias() = root_ * J_;
  }
  const bool small_task = options_.form == RemapForm::in_task_space ||
                          (options_.form == RemapForm::smaller && scaled_.rows() <= coordinates_);
  if (small_task) {
    system_.noalias() = scaled_ * scaled_.transpose();
    right_ = error_;
    right_.noalias() -= scaled_ * away_;
  } else {
    system_.noalias() = scaled_.transpose() * scaled_;
    right_ = away_;
    right_.noalias() += scaled_.transpose() * error_;
  }
  system_.diagonal().array() += 1;
  llt_.compute(system_);
  llt_.solveInPlace(right_);
  if (small_task) {
    step_ = away_;
    step_.noalias() += scaled_.transpose() * right_;
  } else {
    step_ = right_;
  }
}

const RemapResult& Remapper::remap(const Eigen::VectorXd& q, const Eigen::VectorXd& h, const Eigen::VectorXd& target,
                                   const Function& phi) {
  const Eigen::Index m = is_diagonal_ ? root_.rows() : root_.cols();
  if (q.size() != coordinates_ || h.size() != coordinates_ || target.size() != m) {
    throw std::invalid_argument("Remapper::remap: q, h and target have " + to_text(q.size()) + ", " +
                                to_text(h.size()) + " and " + to_text(target.size()) + " entries, must have " +
                                to_text(coordinates_) + ", " + to_text(coordinates_) + " and " + to_text(m));
  }
  result_.q = q;
  result_.iterations = 0;
  result_.evaluations = 0;
  wanted_ = q + h;
  target_ = target;
  const auto end = [&](Stop stop) -> const RemapResult& {
    result_.stop = stop;
    return result_;
  };
  if (!evaluate(q, phi, true, result_.cost) || !J_.allFinite()) return end(Stop::initial_failed);
  result_.start_cost = result_.cost;
  while (true) {
    compute_step();
    ++result_.iterations;
    const bool is_last = result_.iterations == options_.max_iterations;
    double part = 1, cost = 0;
    if (!options_.keep_descent) {
      result_.q += step_;
      if (is_last) return end(Stop::iteration_limit);
      if (!evaluate(result_.q, phi, true, cost) || !J_.allFinite()) return end(Stop::stalled);
    } else {
      // A shorter step changes f by less than its rounding.
      const double size = step_.cwiseAbs().maxCoeff();
      const double resolution = 4 * std::sqrt(std::numeric_limits<double>::epsilon() * result_.cost);
      for (int halving = 0;; ++halving) {
        trial_ = result_.q + part * step_;
        if (evaluate(trial_, phi, !is_last, cost) && cost < result_.cost && (is_last || J_.allFinite())) break;
        if (size <= std::max(options_.tolerance, resolution)) return end(Stop::converged);
        if (halving >= options_.max_halvings) return end(Stop::stalled);
        part *= 0.5;
      }
      result_.q = trial_;
    }
    result_.cost = cost;
    if (part * step_.cwiseAbs().maxCoeff() <= options_.tolerance) return end(Stop::converged);
    if (is_last) return end(Stop::iteration_limit);
  }
}

}  // namespace quoin::planning
