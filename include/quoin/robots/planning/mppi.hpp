// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <limits>

namespace quoin::planning {

/// How many samples there are, how far they lie apart, and which of them count.
struct MppiOptions {
  int samples = 128;               ///< calls of the cost
  Eigen::VectorXd deviation = {};  ///< of the noise of each control (controls); Sigma is the diagonal of its squares
  double temperature = 1;          ///< lambda, in units of the cost: the smaller, the fewer samples count
  double control_weight = 0;       ///< 1 - alpha, 0 to 1: of the cost of controls that the noise implies
  Eigen::VectorXd lower = {};      ///< of each control; empty: none
  Eigen::VectorXd upper = {};      ///< likewise
  std::uint64_t seed = 1;          ///< of the noise
  int threads = 1;                 ///< above 1 the cost is called concurrently
};

/// The next controls, and what the samples said.
struct MppiResult {
  Eigen::MatrixXd controls;  ///< the weighted mean of the samples; the start if no cost is finite
  double best_cost = std::numeric_limits<double>::infinity();  ///< of all samples, as the cost gives it
  /// (sum of weights)^2 / sum of their squares, from 1 to the number of samples; 0 if no cost is finite.
  double effective_samples = 0;
};

/// One update of model predictive path integral control (Williams et al. 2017, Information theoretic MPC for
/// model-based reinforcement learning, Algorithm 2): samples controls V = U + noise around the start U, and averages
/// them with weights exp(-(S(V) + gamma sum_t u_t^T Sigma^-1 v_t - least) / lambda), gamma = lambda (1 - alpha). S is
/// the cost of a whole motion; no derivatives are needed. Receding the horizon is left to the loop around it:
///
///     for (int step = 0; step < steps; ++step) {
///       options.seed = step;
///       U = mppi([&](const Eigen::MatrixXd& V) { return cost_of_motion(x, V); }, U, options).controls;
///       x = apply(x, U.col(0));
///       U << U.rightCols(U.cols() - 1).eval(), Eigen::VectorXd::Zero(U.rows());
///     }
///
/// Controls: controls x steps. Samples are clamped to the bounds, in which their mean then lies, and the first sample
/// is the start itself, clamped, so that a good plan is not lost to noise. Calls the cost `samples` times; a cost that
/// is not finite has no weight. Deterministic, whatever the number of threads. Throws std::invalid_argument for options
/// that do not fit, and what the cost throws.
MppiResult mppi(const std::function<double(const Eigen::MatrixXd&)>& cost, const Eigen::MatrixXd& start,
                const MppiOptions& options);

}  // namespace quoin::planning
