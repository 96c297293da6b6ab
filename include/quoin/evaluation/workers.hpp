// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/worker_pool.hpp"
#include "quoin/grid/evaluator.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace quoin {

/// Evaluates in child processes: f may be a program in any language, on this machine or on others, that crashes, hangs
/// and prints. One that fails so costs one sample a moment, not the plan: the sample goes to another worker, and after
/// three it is a failure that may pass (docs/evaluators.md). Link quoin::evaluation.
///
///   const Workers<2> workers({.command = {"python3", "rod.py"}, .count = 4, .time_limit = 60});
///   AdaptiveGrid<2> grid(workers, options);  // of the function that the workers have
///
/// A handle: copies share the workers, which end with the last copy.
template <int Dim>
class Workers {
 public:
  static constexpr bool elsewhere = true;  ///< f runs in other processes: a grid needs none of its own

  /// Starts them. Throws as WorkerPool does.
  explicit Workers(WorkerOptions options) : pool_(std::make_shared<WorkerPool>(Dim, std::move(options))) {}

  /// What the workers' function gives; with jets of order 0 a grid takes gradients from differences on its lattice.
  CornerFunction<Dim> function() const {
    return CornerFunction<Dim>::elsewhere(pool_->function().output_size, pool_->function().jet_order);
  }
  /// As the workers say it: for a storage.
  const std::string& fingerprint() const { return pool_->function().fingerprint; }
  /// Workers that were started again so far.
  std::size_t restarts() const { return pool_->restarts(); }

  /// As a grid calls it: fills in the samples. Safe from many threads.
  void operator()(const CornerFunction<Dim>&, std::span<CornerSample<Dim>> samples) const {
    Eigen::MatrixXd points(Dim, static_cast<Eigen::Index>(samples.size()));
    for (std::size_t m = 0; m < samples.size(); ++m) points.col(static_cast<Eigen::Index>(m)) = samples[m].x;
    pool_->evaluate(
        points,
        [&](Eigen::Index m, WorkerAnswer answer) {
          CornerSample<Dim>& sample = samples[static_cast<std::size_t>(m)];
          sample.jet = std::move(answer.jet);
          sample.branch = answer.branch;
          sample.reason = std::move(answer.reason);
          sample.retry = answer.retry;
          sample.seconds = answer.seconds;
          sample.tell();
        },
        [&] { samples.front().throw_if_stopped(); });
  }

 private:
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace quoin
