// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/aico/linear_step.hpp"
#include "quoin/robots/planning/aico/local_task.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::planning {

using EndStateStop [[deprecated("quoin::Stop")]] = Stop;

/// Where the search for the mode begins, and when it stops.
struct EndStateOptions {
  int max_iterations = 100;      ///< accepted and rejected steps
  double tolerance = 1e-10;      ///< stop when the undamped model promises less than this times the cost
  double initial_damping = 1;    ///< lambda, in units of the prior's precision; 0: Gauss-Newton
  double damping_decrease = 5;   ///< lambda is divided by it after a step that lowered the cost; at least 1
  double damping_increase = 10;  ///< lambda is multiplied by it after a step that did not; above 1
  double max_damping = 1e12;     ///< gives up where a step would need more
  Eigen::VectorXd start = {};    ///< n, where to begin; empty: at the prior's mean. Must be possible under the prior
};

/// The posterior of the end state, and what it took.
struct EndStateResult {
  Gaussian posterior;     ///< the mode, and the covariance of the local Gaussian there
  double cost = 0;        ///< -log of prior and task, without constants
  double prior_cost = 0;  ///< 1/2 (x - m)^T S^-1 (x - m)
  double task_cost = 0;   ///< c at the mode
  LocalTask task = {};    ///< linearized at the mode
  /// converged: the undamped model promises less than the tolerance. stalled: no step raises the likelihood, even at
  /// the greatest damping. Else iteration_limit, or initial_failed.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;         ///< accepted and rejected steps
  long task_evaluations = 0;  ///< in all
  std::vector<double> costs;  ///< after each accepted step, from the start on: never growing

  /// Whether the mode was found to the tolerance.
  bool converged() const { return stop == Stop::converged; }
};

/// P(x | z = 1) ~ P(z = 1 | x) N(x | m, S) near its mode (Zarubin et al. 2012, Eq. 13), by local Gaussians of the task
/// and Levenberg-Marquardt on the likelihood.
///
///     const Gaussian reach = propagate({x0}, step, T, H);  // P(x_T | x_0), Eq. 12
///     EndStateResult end = end_state_posterior(reach, [&](const VectorXd& x, LocalTask& task) { ... });
///
/// The task arrives as zero, and the function adds to it; false means that it cannot be computed there. S may be
/// singular: iterates stay where the prior allows them, x = m + S w. The damping is lambda/2
/// (x - x_k)^T S^-1 (x - x_k), which makes steps independent of units. A Gaussian task is solved by the first undamped
/// step. A step costs one task evaluation and O(n^3). Throws std::invalid_argument for sizes that disagree, an S with a
/// negative eigenvalue or a start outside of the prior.
EndStateResult end_state_posterior(const Gaussian& prior,
                                   const std::function<bool(const Eigen::VectorXd& x, LocalTask& task)>& task,
                                   const EndStateOptions& options = {});

}  // namespace quoin::planning
