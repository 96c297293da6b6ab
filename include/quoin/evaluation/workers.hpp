// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/worker_pool.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
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

  /// Those of a pool that others use too. Throws std::invalid_argument if its function has not Dim variables.
  explicit Workers(std::shared_ptr<WorkerPool> pool) : pool_(std::move(pool)) {
    if (pool_->variables() != Dim)
      throw std::invalid_argument("Workers<" + to_text(Dim) + ">: the pool's function has " +
                                  to_text(pool_->variables()) + " variables");
  }

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
        [&](const std::string& silence) {
          samples.front().throw_if_stopped();
          if (Watch* const watch = samples.front().watched()) watch->waits_for(silence, samples.front().request);
        });
  }

 private:
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace quoin
