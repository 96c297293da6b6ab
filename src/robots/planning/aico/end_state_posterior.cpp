// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/end_state_posterior.hpp"

#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double min_damping_after_rejection = 1e-2;

void check(const EndStateOptions& options) {
  const OptionsOf of{"end_state_posterior"};
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("tolerance", options.tolerance);
  of.not_negative("initial_damping", options.initial_damping);
  of.one_or_more("damping_decrease", options.damping_decrease);
  of.need(options.damping_increase > 1, "damping_increase", options.damping_increase, "above 1");
  of.positive("max_damping", options.max_damping);
}

struct State {
  Vector x, w;  // x = m + S w
  LocalTask task;
  double prior_cost = 0, cost = 0;
};

}  // namespace

EndStateResult end_state_posterior(const Gaussian& prior,
                                   const std::function<bool(const Vector& x, LocalTask& task)>& task,
                                   const EndStateOptions& options) {
  const Eigen::Index n = prior.mean.size();
  const Matrix& S = prior.covariance;
  if (n == 0 || S.rows() != n || S.cols() != n || !prior.mean.allFinite() || !S.allFinite()) {
    throw std::invalid_argument("end_state_posterior: a mean of " + to_text(n) + " entries, a covariance of " +
                                shape_text(S) + ", or not finite");
  }
  const linear_algebra::SemidefiniteRoot root(S, "end_state_posterior: the covariance");
  check(options);

  EndStateResult result;
  const auto evaluate = [&](State& at) {
    at.task.set_zero(n);
    ++result.task_evaluations;
    if (!at.x.allFinite() || !task(at.x, at.task)) return false;
    at.prior_cost = 0.5 * at.w.dot(S * at.w);
    at.cost = at.prior_cost + at.task.cost;
    return std::isfinite(at.cost) && at.task.R.allFinite() && at.task.r.allFinite();
  };
  // x minimizes 1/2 (x - m)^T S^-1 (x - m) + lambda/2 (x - x_k)^T S^-1 (x - x_k) + the task's model.
  Matrix scaled, system;
  const auto step_from = [&](const State& from, double damping, State& to) {
    scaled = S / (1 + damping);
    system = Matrix::Identity(n, n) + scaled * from.task.R;
    to.x = system.partialPivLu().solve((prior.mean + damping * from.x) / (1 + damping) + scaled * from.task.r);
    to.w = (damping * from.w + from.task.r - from.task.R * to.x) / (1 + damping);
  };
  const auto promise = [&](const State& from, const State& to) {
    const Vector dx = to.x - from.x, dw = to.w - from.w;
    const double slope = (from.task.R * from.x - from.task.r + from.w).dot(dx);
    return -slope - 0.5 * (dx.dot(from.task.R * dx) + dw.dot(dx));
  };

  State kept, trial;
  kept.x = prior.mean;
  kept.w = Vector::Zero(n);
  if (options.start.size() != 0) {
    if (options.start.size() != n) {
      throw std::invalid_argument("end_state_posterior: start has " + to_text(options.start.size()) +
                                  " entries, must be " + to_text(n));
    }
    kept.x = options.start;
    kept.w = root.inverse() * (root.inverse().transpose() * (kept.x - prior.mean));
    const Vector off = (prior.mean + S * kept.w - kept.x).cwiseAbs();
    const Vector sizes = S.diagonal().cwiseSqrt().cwiseMax(kept.x.cwiseAbs()).cwiseMax(prior.mean.cwiseAbs());
    if (!(off.array() <= 1e-8 * sizes.array()).all()) {
      throw std::invalid_argument("end_state_posterior: start is " + to_text(off.maxCoeff()) +
                                  " away from what the prior allows");
    }
  }

  double damping = options.initial_damping;
  result.stop = Stop::initial_failed;
  if (evaluate(kept)) {
    result.costs.push_back(kept.cost);
    while (true) {
      step_from(kept, 0, trial);
      if (promise(kept, trial) <= options.tolerance * std::abs(kept.cost)) {
        result.stop = Stop::converged;
        break;
      }
      if (damping > options.max_damping) {
        result.stop = Stop::stalled;
        break;
      }
      if (result.iterations == options.max_iterations) {
        result.stop = Stop::iteration_limit;
        break;
      }
      ++result.iterations;
      if (damping > 0) step_from(kept, damping, trial);
      if (evaluate(trial) && trial.cost < kept.cost) {
        std::swap(kept, trial);
        result.costs.push_back(kept.cost);
        damping /= options.damping_decrease;
      } else {
        damping = std::max(damping * options.damping_increase, min_damping_after_rejection);
      }
    }
    system = Matrix::Identity(n, n) + S * kept.task.R;
    result.posterior.covariance = system.partialPivLu().solve(S);
    result.posterior.covariance = 0.5 * (result.posterior.covariance + result.posterior.covariance.transpose()).eval();
  }
  result.posterior.mean = kept.x;
  result.cost = kept.cost;
  result.prior_cost = kept.prior_cost;
  result.task_cost = kept.task.cost;
  result.task = std::move(kept.task);
  return result;
}

}  // namespace quoin::planning
