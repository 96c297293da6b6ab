// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/optimization/box_least_squares.hpp"

#include "quoin/core/to_text.hpp"
#include "quoin/optimization/box_qp.hpp"

#include "quoin/core/options_of.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::optimization {
namespace {

void check(const LeastSquaresOptions& options) {
  const OptionsOf of{"box_least_squares"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("relative_tolerance", options.relative_tolerance);
  of.not_negative("gradient_tolerance", options.gradient_tolerance);
  of.not_negative("initial_damping", options.initial_damping);
  of.positive("greatest_damping", options.greatest_damping);
}

/// Whether the gradient vanishes beside the norms of which it is made, for all unknowns that no bound holds.
bool stationary(const Eigen::VectorXd& x, const Eigen::VectorXd& gradient, const Eigen::VectorXd& diagonal, double norm,
                const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double tolerance) {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const bool held = gradient[j] > 0 ? x[j] <= lower[j] : x[j] >= upper[j];
    if (!held && std::abs(gradient[j]) > tolerance * std::sqrt(diagonal[j]) * norm) return false;
  }
  return true;
}

void check(const Eigen::VectorXd& initial, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  if (lower.size() != initial.size() || upper.size() != initial.size()) {
    throw std::invalid_argument("box_least_squares: initial has " + to_text(initial.size()) +
                                " entries, the bounds have " + to_text(lower.size()) + " and " + to_text(upper.size()));
  }
  for (Eigen::Index i = 0; i < initial.size(); ++i) {
    if (!(lower[i] <= upper[i])) {
      throw std::invalid_argument("box_least_squares: bounds of unknown " + to_text(i) + " are " + to_text(lower[i]) +
                                  " and " + to_text(upper[i]));
    }
  }
  if (!initial.allFinite()) throw std::invalid_argument("box_least_squares: initial is not finite");
}

}  // namespace

const char* to_string(LeastSquaresStop stop) {
  switch (stop) {
    case LeastSquaresStop::converged: return "converged";
    case LeastSquaresStop::iteration_limit: return "iteration limit";
    case LeastSquaresStop::stalled: return "stalled";
    case LeastSquaresStop::initial_failed: return "initial failed";
    case LeastSquaresStop::derivatives_failed: return "derivatives failed";
    case LeastSquaresStop::stopped_by_observer: return "stopped by observer";
  }
  return "unknown";
}

LeastSquaresResult box_least_squares(const ResidualFunction& residual, const ResidualJacobian& jacobian,
                                     const Eigen::VectorXd& initial, const Eigen::VectorXd& lower,
                                     const Eigen::VectorXd& upper, const LeastSquaresOptions& options) {
  check(initial, lower, upper);
  check(options);
  LeastSquaresResult result;
  const auto end = [&](LeastSquaresStop stop) {
    result.stop = stop;
    return result;
  };
  const auto record = [&](LeastSquaresIteration entry) {
    entry.iteration = result.iterations;
    entry.cost = result.cost;
    entry.residual_calls = result.residual_calls;
    entry.jacobian_calls = result.jacobian_calls;
    result.log.push_back(entry);
    return !options.observer || options.observer(entry, result.x);
  };

  Eigen::VectorXd& x = result.x;
  x = initial.cwiseMax(lower).cwiseMin(upper);
  Eigen::VectorXd r, gradient, step, trial, product;
  Eigen::MatrixXd J, hessian;
  ++result.residual_calls;
  if (!residual(x, r) || !r.allFinite()) return end(LeastSquaresStop::initial_failed);
  result.cost = 0.5 * r.squaredNorm();
  if (!record({})) return end(LeastSquaresStop::stopped_by_observer);

  constexpr double least_damping = 1e-9, nearly_undamped = 1e-3;
  Eigen::VectorXd largest = x.cwiseAbs();  // so far
  BoxQp qp;
  double damping = options.initial_damping, factor = 2;
  while (true) {
    if (result.iterations >= options.max_iterations) return end(LeastSquaresStop::iteration_limit);
    ++result.jacobian_calls;
    if (!jacobian(x, r, J) || !J.allFinite() || !r.allFinite()) return end(LeastSquaresStop::derivatives_failed);
    gradient.noalias() = J.transpose() * r;
    hessian.setZero(x.size(), x.size());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
    const Eigen::VectorXd diagonal = hessian.diagonal();
    // A variable without effect on the residuals still needs a definite model.
    const double floor = 1e-10 * diagonal.maxCoeff() + 1e-300;
    LeastSquaresIteration entry;
    entry.projected_gradient = result.projected_gradient =
        (x - (x - gradient).cwiseMax(lower).cwiseMin(upper)).cwiseAbs().maxCoeff();
    if (stationary(x, gradient, diagonal, r.norm(), lower, upper, options.gradient_tolerance))
      return end(LeastSquaresStop::converged);
    largest = largest.cwiseMax(x.cwiseAbs());

    double decrease = 0;
    while (true) {
      const auto damp_more = [&] {
        damping = std::max(damping * factor, least_damping);
        factor *= 2;
        return damping <= options.greatest_damping;
      };
      hessian.diagonal() = diagonal.array() + damping * (diagonal.array() + floor);
      step.setZero(x.size());
      if (qp.solve(hessian, gradient, lower - x, upper - x, step) == BoxQpStatus::indefinite) {
        if (!damp_more()) return end(LeastSquaresStop::stalled);
        continue;
      }
      product.noalias() = J * step;
      entry.expected_decrease = -(gradient.dot(step) + 0.5 * product.squaredNorm());
      entry.damping = damping;
      const bool still = (step.array().abs() <= options.gradient_tolerance * largest.array()).all();
      if (damping <= nearly_undamped &&
          (still || entry.expected_decrease <= options.relative_tolerance * result.cost)) {
        return end(LeastSquaresStop::converged);
      }
      trial = (x + step).cwiseMax(lower).cwiseMin(upper);
      ++result.residual_calls;
      const bool computed = residual(trial, r) && r.allFinite();
      decrease = computed ? result.cost - 0.5 * r.squaredNorm() : -1;
      if (decrease > 1e-4 * std::max(entry.expected_decrease, 0.0)) break;
      if (!damp_more()) return end(LeastSquaresStop::stalled);
    }

    ++result.iterations;
    x.swap(trial);
    const double before = result.cost;
    result.cost = 0.5 * r.squaredNorm();
    const double ratio = 2 * decrease / entry.expected_decrease - 1;
    damping *= std::clamp(1 - ratio * ratio * ratio, 0.1, 2.0);
    if (damping < least_damping) damping = 0;
    factor = 2;
    if (!record(entry)) return end(LeastSquaresStop::stopped_by_observer);
    if (entry.damping <= nearly_undamped && decrease <= options.relative_tolerance * before) {
      return end(LeastSquaresStop::converged);
    }
  }
}

}  // namespace quoin::optimization
