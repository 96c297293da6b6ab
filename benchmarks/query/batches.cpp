// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/query/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

/// A batch of points, several to each cell, beside a loop over them that fills the same matrices.
template <int Dim>
BatchRatios add_batch(Report& report, Eigen::Index outputs, std::size_t cells, std::size_t points_a_cell, bool in_order,
                      int repetitions) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> within(0.05, 0.95);
  std::vector<Point<Dim>> points;
  for (const Point<Dim>& x : points_in_distinct_cells<Dim>(cells, random))
    for (std::size_t p = 0; p < points_a_cell; ++p) {
      Point<Dim>& there = points.emplace_back(x);
      for (int i = 0; i < Dim; ++i) there[i] = std::floor(x[i]) + within(random);
    }
  if (!in_order) std::shuffle(points.begin(), points.end(), random);
  const auto count = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd X(Dim, count), Y, J;
  for (Eigen::Index m = 0; m < count; ++m) X.col(m) = points[static_cast<std::size_t>(m)];

  const AdaptiveGrid<Dim> grid(smooth_function<Dim>(outputs));
  grid.evaluate_batch(X, Y, J);
  Eigen::VectorXd y;
  Eigen::MatrixXd J_one;
  std::vector<double> value, jacobian, value_ratio, jacobian_ratio;
  for (int r = -2; r < repetitions; ++r) {
    const double value_loop = seconds_of([&] {
      for (Eigen::Index m = 0; m < count; ++m) {
        grid.evaluate(X.col(m), y);
        Y.col(m) = y;
      }
    });
    const double value_batch = seconds_of([&] { grid.evaluate_batch(X, Y); });
    const double jacobian_loop = seconds_of([&] {
      for (Eigen::Index m = 0; m < count; ++m) {
        grid.evaluate(X.col(m), y, J_one);
        Y.col(m) = y;
        J.middleCols(Dim * m, Dim) = J_one;
      }
    });
    const double jacobian_batch = seconds_of([&] { grid.evaluate_batch(X, Y, J); });
    if (r < 0) continue;
    value.push_back(value_batch / static_cast<double>(count));
    jacobian.push_back(jacobian_batch / static_cast<double>(count));
    value_ratio.push_back(value_batch / value_loop);
    jacobian_ratio.push_back(jacobian_batch / jacobian_loop);
  }
  const BatchRatios ratios{median(value_ratio), median(jacobian_ratio)};
  report.results.add(studies::figures::ResultRow()
                         .set("N", outputs)
                         .set("dim", Dim)
                         .set("cells in", std::string("batch, ") + (in_order ? "cell by cell" : "random order"))
                         .set("threads", 1)
                         .set("corners", grid.statistics().corners)
                         .set("points", points.size())
                         .set("points a cell", points_a_cell)
                         .set("value_us", 1e6 * median(value))
                         .set("value_jacobian_us", 1e6 * median(jacobian))
                         .set("batch_value_ratio", ratios.value)
                         .set("batch_jacobian_ratio", ratios.jacobian));
  return ratios;
}

}  // namespace

std::pair<BatchRatios, BatchRatios> batches(Report& report, bool quick) {
  const int repetitions = quick ? 51 : 201;
  BatchRatios small{0, 0};
  for (const BatchRatios& ratios :
       {add_batch<2>(report, 3, 100, 10, false, repetitions), add_batch<2>(report, 3, 1000, 1, false, repetitions),
        add_batch<4>(report, 3, 100, 10, false, repetitions), add_batch<4>(report, 3, 1000, 1, false, repetitions)}) {
    small.value = std::max(small.value, ratios.value);
    small.jacobian = std::max(small.jacobian, ratios.jacobian);
  }
  const int large_repetitions = quick ? 7 : 21;
  add_batch<4>(report, 1575, 64, 8, true, large_repetitions);
  add_batch<4>(report, 1575, 16, 64, true, large_repetitions);
  add_batch<4>(report, 1575, 16, 64, false, large_repetitions);
  return {small, add_batch<4>(report, 1575, 64, 8, false, large_repetitions)};
}

}  // namespace benchmarks
