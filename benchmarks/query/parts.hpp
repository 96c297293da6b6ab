// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace benchmarks {

/// A cheap smooth function, since the benchmark is about the queries.
template <int Dim>
auto smooth_function(Eigen::Index outputs) {
  return exact_function<Dim>(outputs,
                             [](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                               for (Eigen::Index n = 0; n < y.size(); ++n) {
                                 y[n] = static_cast<double>(n % 7) + 0.1 * x.squaredNorm();
                                 for (int j = 0; j < Dim; ++j) J(n, j) = 0.2 * x[j];
                               }
                             });
}

template <int Dim>
std::vector<Point<Dim>> points_in_distinct_cells(std::size_t cells, std::mt19937& random) {
  // Cells two apart share no corner, so that every query reads 2^Dim corners of its own.
  std::uniform_real_distribution<double> within(0.05, 0.95);
  const auto side = static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(cells), 1.0 / Dim)));
  std::vector<Point<Dim>> points;
  for (std::size_t c = 0; c < cells; ++c) {
    Point<Dim> x;
    std::size_t rest = c;
    for (int i = 0; i < Dim; ++i, rest /= side) x[i] = 2.0 * static_cast<double>(rest % side) + within(random);
    points.push_back(x);
  }
  std::shuffle(points.begin(), points.end(), random);
  return points;
}

/// Value and Jacobian from memory over a plain read of the cell's jets in doubles, the greater of the two ways that
/// cells came there.
struct FromMemory {
  double arm, arm_single;      ///< N = 1575 in four dimensions, with jets of doubles and of floats
  double large, large_single;  ///< N = 12708 in three
};
struct BatchRatios {
  double value, jacobian;
};

FromMemory large_outputs(Report& report, bool quick);  ///< beside plain reads, from caches and memory
void small_outputs(Report& report, bool quick);        ///< against the number of corners stored, and the order of jets
void latencies(Report& report, bool quick);            ///< of single queries, of grids and frozen views
/// The most expensive of the batches at N = 3, and a batch at N = 1575 whose points come in random order.
std::pair<BatchRatios, BatchRatios> batches(Report& report, bool quick);

}  // namespace benchmarks
