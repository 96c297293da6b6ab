// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/box_least_squares.hpp"

#include "quoin/robots/linear_algebra/symmetric_eigen.hpp"
#include "quoin/robots/optimization/box_qp.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::optimization {
namespace {

void check(const LeastSquaresOptions& options) {
  const OptionsOf of{"box_least_squares"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative_and_finite("relative_tolerance", options.relative_tolerance);
  of.not_negative("gradient_tolerance", options.gradient_tolerance);
  of.not_negative("initial_damping", options.initial_damping);
  of.positive("max_damping", options.max_damping);
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

/// Where Gauss-Newton's model bends up least, the residuals' own curvature may bend the cost down: looks along the
/// weakest directions of the model, either way, for a lower cost. J is of x or of a point near it; `largest` are the
/// unknowns' so far. Asks the residuals at most 2 (directions lengths) times; x, r and cost are then of the lowest
/// point of the first length that has one.
class LowerNearby {
 public:
  LowerNearby(const ResidualFunction& residual, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper)
      : residual_(residual), lower_(lower), upper_(upper) {}

  bool find(Eigen::VectorXd& x, double& cost, const Eigen::MatrixXd& J, const Eigen::VectorXd& gradient,
            const Eigen::VectorXd& largest, double min_decrease, long& calls) const {
    constexpr Eigen::Index most = 4;  // directions
    std::vector<Eigen::Index> free;
    Eigen::VectorXd size(x.size());
    Eigen::Array<bool, Eigen::Dynamic, 1> unknown(x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const bool held = gradient[j] > 0 ? x[j] <= lower_[j] : x[j] >= upper_[j];
      if (!held || gradient[j] == 0) free.push_back(j);
      const double width = upper_[j] - lower_[j], slope = J.col(j).norm();
      // Wide bounds tell the size of nothing.
      const double least = slope > 0 ? std::sqrt(2 * cost) / slope : std::numeric_limits<double>::infinity();
      size[j] = largest[j] > 0 ? largest[j] : std::min(width > 0 ? width : least, least);
      if (!std::isfinite(size[j])) size[j] = 0;
      unknown[j] = largest[j] == 0 && slope == 0;
    }
    if (free.empty() || !(cost > 0)) return false;
    const auto count = static_cast<Eigen::Index>(free.size());
    const Eigen::MatrixXd scaled = (J * size.asDiagonal())(Eigen::all, free);
    const linear_algebra::SymmetricEigen model(scaled.transpose() * scaled);
    Eigen::VectorXd best;
    double lowest = cost - min_decrease * cost;
    Eigen::VectorXd trial, r;
    const auto look = [&](const Eigen::VectorXd& way) {
      for (const double sign : {1., -1.}) {
        trial = (x + sign * way).cwiseMax(lower_).cwiseMin(upper_);
        ++calls;
        if (!residual_(trial, r) || !r.allFinite() || !(0.5 * r.squaredNorm() < lowest)) continue;
        lowest = 0.5 * r.squaredNorm();
        best = trial;
      }
    };
    for (const double length : {0.3, 0.03, 0.003}) {
      for (Eigen::Index k = 0; k < std::min(most, count); ++k) {
        Eigen::VectorXd way = Eigen::VectorXd::Zero(x.size());
        way(free) = length * model.eigenvectors().col(k);
        way = way.cwiseProduct(size).eval();
        if (!way.isZero(0)) look(way);
      }
      if (best.size() > 0) break;
    }
    // Nothing tells the size of an unknown that is zero and without effect: any may be, within bounds.
    for (double length = 1e15; best.size() == 0 && length > 1e-16; length *= 0.1)
      for (const Eigen::Index j : free)
        if (unknown[j] && length < 10 * (upper_[j] - lower_[j])) look(length * Eigen::VectorXd::Unit(x.size(), j));
    if (best.size() == 0) return false;
    x = best;
    cost = lowest;
    return true;
  }

 private:
  const ResidualFunction& residual_;
  const Eigen::VectorXd &lower_, &upper_;
};

}  // namespace

LeastSquaresResult box_least_squares(const ResidualFunction& residual, const ResidualJacobian& jacobian,
                                     const Eigen::VectorXd& initial, const Eigen::VectorXd& lower,
                                     const Eigen::VectorXd& upper, const LeastSquaresOptions& options) {
  check(initial, lower, upper);
  check(options);
  LeastSquaresResult result;
  const auto end = [&](Stop stop) {
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
  if (!residual(x, r) || !r.allFinite()) return end(Stop::initial_failed);
  result.cost = 0.5 * r.squaredNorm();
  if (!record({})) return end(Stop::stopped_by_observer);

  constexpr double min_damping = 1e-9, nearly_undamped = 1e-3;
  constexpr double seen = 1e-6;            // of the cost: what must be lower nearby to tell a saddle
  Eigen::VectorXd largest = x.cwiseAbs();  // so far
  BoxQp qp;
  const LowerNearby nearby(residual, lower, upper);
  // Whether nothing lower is near a point where little is promised; if something is, x is there.
  enum class Around { nothing, found, stopped };
  const auto look_around = [&] {
    if (!options.check_curvature || !nearby.find(x, result.cost, J, gradient, largest, seen, result.residual_calls))
      return Around::nothing;
    ++result.iterations;
    return record({}) ? Around::found : Around::stopped;
  };
  const auto word = [&](Around around) {
    return end(around == Around::stopped ? Stop::stopped_by_observer : Stop::converged);
  };
  double damping = options.initial_damping, factor = 2;
  while (true) {
    if (result.iterations >= options.max_iterations) return end(Stop::iteration_limit);
    ++result.jacobian_calls;
    if (!jacobian(x, r, J) || !J.allFinite() || !r.allFinite()) return end(Stop::derivatives_failed);
    gradient.noalias() = J.transpose() * r;
    hessian.setZero(x.size(), x.size());
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
    const Eigen::VectorXd diagonal = hessian.diagonal();
    // A variable without effect on the residuals still needs a definite model; others keep their own units.
    const double floor = 1e-10 * diagonal.maxCoeff() + 1e-300;
    const Eigen::VectorXd scale = (diagonal.array() > 0).select(diagonal, floor);
    LeastSquaresIteration entry;
    entry.projected_gradient = result.projected_gradient =
        (x - (x - gradient).cwiseMax(lower).cwiseMin(upper)).cwiseAbs().maxCoeff();
    largest = largest.cwiseMax(x.cwiseAbs());
    bool settled = stationary(x, gradient, diagonal, r.norm(), lower, upper, options.gradient_tolerance);

    double decrease = 0;
    while (!settled) {
      const auto damp_more = [&] {
        damping = std::max(damping * factor, min_damping);
        factor *= 2;
        return damping <= options.max_damping;
      };
      hessian.diagonal() = diagonal + damping * scale;
      step.setZero(x.size());
      if (qp.solve(hessian, gradient, lower - x, upper - x, step) == BoxQpStatus::indefinite) {
        if (!damp_more()) return end(Stop::stalled);
        continue;
      }
      product.noalias() = J * step;
      entry.expected_decrease = -(gradient.dot(step) + 0.5 * product.squaredNorm());
      entry.damping = damping;
      const bool still = (step.array().abs() <= options.gradient_tolerance * largest.array()).all();
      if (damping <= nearly_undamped &&
          (still || entry.expected_decrease <= options.relative_tolerance * result.cost)) {
        settled = true;
        break;
      }
      trial = (x + step).cwiseMax(lower).cwiseMin(upper);
      ++result.residual_calls;
      const bool computed = residual(trial, r) && r.allFinite();
      decrease = computed ? result.cost - 0.5 * r.squaredNorm() : -1;
      if (decrease > 1e-4 * std::max(entry.expected_decrease, 0.0)) break;
      if (!damp_more()) return end(Stop::stalled);
    }

    if (settled) {
      if (const Around around = look_around(); around != Around::found) return word(around);
      continue;
    }

    ++result.iterations;
    x.swap(trial);
    const double before = result.cost;
    result.cost = 0.5 * r.squaredNorm();
    const double ratio = 2 * decrease / entry.expected_decrease - 1;
    damping *= std::clamp(1 - ratio * ratio * ratio, 0.1, 2.0);
    if (damping < min_damping) damping = 0;
    factor = 2;
    if (!record(entry)) return end(Stop::stopped_by_observer);
    if (entry.damping <= nearly_undamped && decrease <= options.relative_tolerance * before) {
      if (const Around around = look_around(); around != Around::found) return word(around);
    }
  }
}

}  // namespace quoin::optimization
