// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/constrained_least_squares.hpp"

#include "quoin/robots/optimization/constraint_size.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace quoin::optimization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The terms of the constraints as residuals, max(0, lambda + mu h) / sqrt(mu), behind those of the problem.
struct Terms {
  VectorXd lambda;
  double mu;

  VectorXd residuals(const VectorXd& h) const { return (lambda + mu * h).cwiseMax(0.0) / std::sqrt(mu); }
  std::vector<Index> active(const VectorXd& h) const {
    std::vector<Index> rows;
    for (Index i = 0; i < h.size(); ++i)
      if (lambda[i] + mu * h[i] > 0) rows.push_back(i);
    return rows;
  }
  /// Violation of feasibility and complementarity. sizes: of the constraints.
  double infeasibility(const VectorXd& h, const VectorXd& sizes) const {
    return h.size() == 0 ? 0 : h.cwiseMax(-lambda / mu).cwiseAbs().cwiseQuotient(sizes).maxCoeff();
  }
};

/// How large the variables are: themselves, or what changes the residuals by as much as they are.
VectorXd sizes_of_variables(const VectorXd& x, const VectorXd& r, const MatrixXd& J) {
  const double size = r.norm();
  VectorXd sizes = x.cwiseAbs();
  for (Index i = 0; i < x.size(); ++i)
    if (const double slope = J.col(i).norm(); slope > 0) sizes[i] = std::max(sizes[i], size / slope);
  return sizes;
}

double least_square(const VectorXd& sizes) { return sizes.size() == 0 ? 1 : sizes.array().square().minCoeff(); }

}  // namespace

ConstrainedLeastSquaresResult constrained_least_squares(const ConstrainedResiduals& residuals,
                                                        const ConstrainedJacobians& jacobians, const VectorXd& initial,
                                                        const VectorXd& lower, const VectorXd& upper,
                                                        const ConstrainedLeastSquaresOptions& options) {
  const OptionsOf of{"constrained_least_squares"};
  of.not_negative("constraint_tolerance", options.constraint_tolerance);
  of.positive("initial_penalty", options.initial_penalty);
  of.need(options.penalty_factor > 1, "penalty_factor", options.penalty_factor, "above 1");
  of.positive("max_penalty", options.max_penalty);
  of.not_negative("max_updates", options.max_updates);
  ConstrainedLeastSquaresResult result{.x = initial};
  Terms terms{.lambda = options.multipliers, .mu = options.initial_penalty};
  VectorXd r, h, at;  // r and h are of the last point that was asked for: `at`
  const auto evaluate = [&](const VectorXd& x) {
    if (at.size() == x.size() && at == x) return true;
    at.resize(0);
    ++result.residual_calls;
    if (!residuals(x, r, h)) return false;
    at = x;
    return true;
  };
  VectorXd sizes;         // of the constraints, from where their gradients were last asked for
  const auto fit = [&] {  // the number of constraints is known from their first values
    if (terms.lambda.size() == 0) terms.lambda.setZero(h.size());
    if (sizes.size() == 0) sizes.setOnes(h.size());
    if (terms.lambda.size() != h.size() || !(terms.lambda.array() >= 0).all())
      throw std::invalid_argument("constrained_least_squares: " + to_text(terms.lambda.size()) +
                                  " multipliers, none negative, for " + to_text(h.size()) + " constraints");
  };
  const auto residual = [&](const VectorXd& x, VectorXd& all) {
    if (!evaluate(x)) return false;
    fit();
    all.resize(r.size() + h.size());
    all << r, terms.residuals(h);
    return true;
  };
  MatrixXd J, H;
  const auto jacobian = [&](const VectorXd& x, VectorXd& all, MatrixXd& all_J) {
    if (!evaluate(x)) return false;
    const std::vector<Index> active = terms.active(h);
    if (!jacobians(x, active, r, J, h, H)) return false;
    all.resize(r.size() + h.size());
    all << r, terms.residuals(h);
    all_J.setZero(all.size(), x.size());
    all_J.topRows(r.size()) = J;
    const VectorXd of_variables = sizes_of_variables(x, r, J);
    for (std::size_t k = 0; k < active.size(); ++k) {
      const auto row = H.row(static_cast<Index>(k));
      all_J.row(r.size() + active[k]) = std::sqrt(terms.mu) * row;
      sizes[active[k]] = constraint_size(row.cwiseAbs().dot(of_variables));
    }
    return true;
  };

  double least = std::numeric_limits<double>::infinity();
  LeastSquaresOptions inner = options.least_squares;
  for (int update = 0;; ++update) {
    inner.max_iterations = options.least_squares.max_iterations - result.iterations;
    const LeastSquaresResult solved = box_least_squares(residual, jacobian, result.x, lower, upper, inner);
    result.x = solved.x;
    result.stop = solved.stop;
    result.iterations += solved.iterations;
    result.jacobian_calls += solved.jacobian_calls;
    if (solved.stop == Stop::initial_failed) break;
    if (!evaluate(result.x)) break;
    result.cost = 0.5 * r.squaredNorm();
    result.violation = h.size() == 0 ? 0 : std::max(0.0, h.maxCoeff());
    const double infeasibility = terms.infeasibility(h, sizes);
    result.constraints_hold = infeasibility <= options.constraint_tolerance;
    if (result.constraints_hold || update == options.max_updates ||
        result.iterations >= options.least_squares.max_iterations || solved.stop == Stop::stopped_by_observer ||
        solved.stop == Stop::derivatives_failed)
      break;
    terms.lambda = (terms.lambda + terms.mu * h).cwiseMax(0.0);
    if (infeasibility > 0.25 * least)
      terms.mu = std::min(terms.mu * options.penalty_factor, options.max_penalty / least_square(sizes));
    least = std::min(least, infeasibility);
    inner.initial_damping = 0;  // it begins near its solution
  }
  result.multipliers = terms.lambda;
  result.penalty = terms.mu;
  return result;
}

}  // namespace quoin::optimization
