// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <limits>
#include <string>

namespace quoin {

/// What the cells of a grid show of its function: those that were measured to a tolerance, and in level mode those of
/// which two levels are known. Nothing is said of outputs before some cells agree on it.
struct FunctionDoubts {
  Eigen::Index output = -1;  ///< J(output, axis) is not the derivative of the values, most so of all; -1: none is seen
  int axis = -1;
  /// How many times as much as J(output, axis) says the values change; NaN if that differs from place to place.
  double factor = std::numeric_limits<double>::quiet_NaN();
  Eigen::Index rough_output = -1;  ///< its values are not smooth, in the norm most of all; -1: none is seen
  double rough_below = 0;          ///< as far as they scatter around a smooth function; in that output's units
  /// Largest error found inside a cell of which less than a third was stated; 0: none. From then on each cell that
  /// answers to a tolerance is compared with f inside, and its error is that.
  double unseen = 0;
  std::string message;  ///< the above in words, and what to do; empty if there is no doubt
};

/// The work of a grid so far, and its cost.
struct GridStatistics {
  std::size_t exact_evaluations = 0;  ///< calls of the function
  /// Calls of the evaluator. What it runs at once is faster by at most exact_evaluations over this.
  std::size_t batches = 0;
  std::size_t from_storage = 0;     ///< samples found in GridOptions::storage instead
  std::size_t queries = 0;          ///< answers given; each point of a batch is one
  std::size_t corners = 0;          ///< corners of the function in memory, failed ones included
  std::size_t failed_corners = 0;   ///< among them: f threw or gave what is not finite
  std::size_t evicted_corners = 0;  ///< that left memory for GridOptions::memory_budget, each time
  std::size_t unused_corners = 0;   ///< evaluated ahead (prefetch_async, hint), and asked for by no query yet
  std::size_t cells = 0;            ///< cells that answer, of all levels, those of functionals as well
  std::size_t bytes = 0;            ///< memory held by corners, cells and tables, functionals included
  double seconds_in_function = 0;   ///< summed over threads
  double seconds_per_query = 0;     ///< mean over a sample of the queries that called nothing; 0 if there was none
  /// The number of queries from which on the grid is cheaper than calling the function each time, at the costs measured
  /// so far; infinite if a query costs as much as a call.
  double break_even_queries = 0;
  FunctionDoubts doubts = {};  ///< of f's Jacobian and of its values' smoothness
};

}  // namespace quoin
