// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/util/parallel_for.hpp"

#include <cstddef>
#include <span>
#include <thread>

namespace quoin {

/// Evaluates a batch of missing corners with several threads at once, for a function that may be called concurrently.
///
///   AdaptiveGrid<4> grid(f, options, Threads{2});
///   grid.prefetch(X);  // all missing corners of X, two at a time
///
/// Threads are started for each batch (some 30 us): for functions that take a millisecond or more.
struct Threads {
  int count = 0;  ///< largest number of threads, the calling one included; 0: one per core

  /// As a grid calls it: fills in the samples, in any order. See CornerFunction::evaluate.
  template <int Dim>
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    const std::size_t wanted = count > 0 ? static_cast<std::size_t>(count) : std::thread::hardware_concurrency();
    parallel_for(samples.size(), wanted, [&](std::size_t i) { f.evaluate(samples[i]); });
  }
};

}  // namespace quoin
