// SPDX-License-Identifier: BSD-3-Clause
// Worker processes under a grid.
#pragma once

#include "python_error.hpp"
#include "quoin/evaluation/worker_pool.hpp"
#include "quoin/grid/evaluator.hpp"

#include <memory>
#include <span>
#include <utility>

namespace quoin::python {

/// As quoin::Workers, but Ctrl-C in Python's main thread ends the query while workers run.
template <int Dim>
class WorkerCalls {
 public:
  static constexpr bool elsewhere = true;

  explicit WorkerCalls(std::shared_ptr<WorkerPool> pool) : pool_(std::move(pool)) {}

  CornerFunction<Dim> function() const {
    return CornerFunction<Dim>::elsewhere(pool_->function().output_size, pool_->function().jet_order);
  }

  void operator()(const CornerFunction<Dim>&, std::span<CornerSample<Dim>> samples) const {
    Eigen::MatrixXd points(Dim, static_cast<Eigen::Index>(samples.size()));
    for (std::size_t m = 0; m < samples.size(); ++m) points.col(static_cast<Eigen::Index>(m)) = samples[m].x;
    const auto answered = [&](Eigen::Index m, WorkerAnswer answer) {
      CornerSample<Dim>& sample = samples[static_cast<std::size_t>(m)];
      sample.jet = std::move(answer.jet);
      sample.branch = answer.branch;
      sample.reason = std::move(answer.reason);
      sample.retry = answer.retry;
      sample.seconds = answer.seconds;
      sample.tell();
    };
    pool_->evaluate(points, answered, [] {
      const py::gil_scoped_acquire gil;
      throw_if_signalled();
    });
  }

 private:
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace quoin::python
