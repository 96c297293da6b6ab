// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace quoin::planning {

using CrossEntropyStop [[deprecated("quoin::Stop")]] = Stop;

/// One iteration, as seen by the observer and kept in the log.
struct CrossEntropyIteration {
  int iteration = 0;      ///< from 1
  double best = 0;        ///< cost of the best sample of this iteration
  double elite_mean = 0;  ///< cost
  double deviation = 0;   ///< root mean square over the axes, after the update
  long evaluations = 0;   ///< of the cost, running total
};

/// False stops the search. The vector is the mean after the update.
using CrossEntropyObserver = std::function<bool(const CrossEntropyIteration&, const Eigen::VectorXd&)>;

/// How the distribution is sampled and fitted, and how long.
struct CrossEntropyOptions {
  int population = 64;           ///< samples of an iteration
  int elite = 8;                 ///< the best of them, to which the distribution is fitted
  int iterations = 100;          ///< of all; each calls the cost population times
  double initial_deviation = 1;  ///< of every axis
  double added_deviation = 0;    ///< joined to the fitted one in the first iteration, less later: it keeps the search
                                 ///< from closing too early (Szita, Lorincz 2006)
  double added_for = 50;         ///< iterations after which none is added
  std::uint64_t seed = 1;        ///< of the samples
  int threads = 1;               ///< above 1 the cost is called concurrently
  CrossEntropyObserver observer = {};  ///< or none
};

/// The last distribution, and the best sample.
struct CrossEntropyResult {
  Eigen::VectorXd mean;                                        ///< of the last distribution
  Eigen::VectorXd deviation;                                   ///< of the last distribution, per axis
  Eigen::VectorXd best;                                        ///< the best sample of all
  double best_cost = std::numeric_limits<double>::infinity();  ///< at best; infinite if no cost was finite
  /// iteration_limit: as a rule, since it knows no minimum. not_finite: fewer samples than the elite have a finite
  /// cost, and the distribution is that of the iteration before. Else stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  std::vector<CrossEntropyIteration> log = {};  ///< one entry an iteration
};

/// Minimizes a cost without its derivatives by the cross-entropy method (Rubinstein, Kroese 2004; with added noise
/// Szita, Lorincz 2006): samples a normal distribution with independent axes, fits it to the best samples, and repeats.
///
///   auto result = cross_entropy([](const Eigen::VectorXd& x) { return (x.array() - 1).square().sum(); },
///                               Eigen::VectorXd::Zero(5), {.population = 50, .elite = 10});
///
/// Calls the cost population x iterations times. A cost that is not finite is worse than any other. Deterministic,
/// whatever the number of threads. Throws std::invalid_argument for options that do not fit, and what the cost throws.
CrossEntropyResult cross_entropy(const std::function<double(const Eigen::VectorXd&)>& cost,
                                 const Eigen::VectorXd& start, const CrossEntropyOptions& options = {});

}  // namespace quoin::planning
