// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/evaluator.hpp"

#include <Eigen/Core>

namespace quoin {

/// Where a grid's samples outlive it (GridOptions::storage): before f is called at a point the storage is asked, and
/// what f then answers is given to it. Called from every thread that queries, from several at once.
template <int Dim>
class SampleStorage {
 public:
  virtual ~SampleStorage() = default;

  /// Called once by every grid that uses it. Throws std::invalid_argument if what is stored is not of such a function.
  virtual void open(Eigen::Index output_size, int jet_order) = 0;

  /// Fills in a sample from one within this distance of sample.x on every axis, with at least these derivatives (more
  /// are cut off), or with a failure. False, and the sample unchanged, if there is none that can be trusted. Throws
  /// Interrupted alone, where it waits and the thread's Watch says so.
  virtual bool find(CornerSample<Dim>& sample, const Point<Dim>& within, Eigen::Index derivatives) = 0;

  /// False if keep() keeps nothing, as a file does that is only read.
  virtual bool keeps() const { return true; }

  /// Takes a copy of a sample that is finished and checked. What goes wrong later, the storage itself tells: a full
  /// disk costs no query its answer. Throws std::bad_alloc, or Interrupted where it waits and the Watch says so; it has
  /// the sample then.
  virtual void keep(const CornerSample<Dim>& sample) = 0;
};

}  // namespace quoin
