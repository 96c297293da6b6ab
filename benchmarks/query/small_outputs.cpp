// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/query/parts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace benchmarks {
namespace {

/// Measures what finding the cell costs, with small outputs and more and more corners.
void add_corner_counts(Report& report, bool quick) {
  constexpr int dim = 4;
  constexpr Eigen::Index outputs = 8;
  for (const std::size_t corners : {1'000u, 10'000u, 100'000u, 1'000'000u}) {
    if (quick && corners > 100'000) continue;
    std::mt19937 random(2);
    const auto points = points_in_distinct_cells<dim>(corners / 16, random);
    AdaptiveGrid<dim> grid(smooth_function<dim>(outputs));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const Point<dim>& x : points) grid.evaluate(x, y);
    std::vector<double> seconds;
    for (int r = 0; r < 9; ++r) {
      const std::size_t queries = std::min<std::size_t>(points.size(), 20'000);
      seconds.push_back(seconds_of([&] {
                          for (std::size_t q = 0; q < queries; ++q) grid.evaluate(points[q], y, J);
                        }) /
                        static_cast<double>(queries));
    }
    report.results.add(studies::figures::ResultRow()
                           .set("N", outputs)
                           .set("dim", dim)
                           .set("cells in", "each once, random order")
                           .set("threads", 1)
                           .set("corners", grid.statistics().corners)
                           .set("value_jacobian_us", 1e6 * median(seconds)));
  }
}

/// Few outputs with jets of order K, from a cube of cells that share their corners, each asked for at random; one cell
/// stays in the first caches.
template <int Dim, int K>
void add_small_outputs(Report& report, Eigen::Index outputs, std::size_t corners, bool quick) {
  const auto f = exact_jet<Dim, K>(outputs, [](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
    jet.setConstant(0.1);
    jet.col(0).setConstant(x.sum());
  });
  AdaptiveGrid<Dim> grid(f);
  const double side = std::max(1.0, std::round(std::pow(static_cast<double>(corners), 1.0 / Dim)) - 1);
  const char* const residence = side > 1 ? "shared corners, random order" : "hot";
  std::mt19937 random(4);
  std::uniform_real_distribution<double> within(0.0, side - 1e-9);
  Eigen::VectorXd y, Jtv, v = Eigen::VectorXd::Ones(outputs);
  Eigen::MatrixXd J;
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(std::pow(side, Dim) + 0.5); ++cell) {
    Point<Dim> x;
    std::size_t rest = cell;
    for (int i = 0; i < Dim; ++i, rest /= static_cast<std::size_t>(side))
      x[i] = static_cast<double>(rest % static_cast<std::size_t>(side)) + 0.5;
    grid.evaluate(x, y);
  }
  std::vector<Point<Dim>> points(quick ? 20'000 : 200'000);
  for (Point<Dim>& x : points)
    for (double& component : x) component = within(random);
  const auto microseconds_of_all = [&](const auto& queries) {
    std::vector<double> seconds;
    for (int r = 0; r < 7; ++r) seconds.push_back(seconds_of(queries));
    return 1e6 * median(seconds) / static_cast<double>(points.size());
  };
  const auto microseconds = [&](const auto& query) {
    return microseconds_of_all([&] {
      for (const Point<Dim>& x : points) query(x);
    });
  };
  constexpr Eigen::Index batch = 1000;
  Eigen::MatrixXd X(Dim, points.size()), Y(outputs, batch), J_batch(outputs, Dim * batch);
  for (std::size_t m = 0; m < points.size(); ++m) X.col(static_cast<Eigen::Index>(m)) = points[m];
  report.results.add(studies::figures::ResultRow()
                         .set("N", outputs)
                         .set("dim", Dim)
                         .set("K", K)
                         .set("cells in", residence)
                         .set("threads", 1)
                         .set("corners", grid.statistics().corners)
                         .set("bytes_a_corner", grid.statistics().bytes / grid.statistics().corners)
                         .set("value_us", microseconds([&](const Point<Dim>& x) { grid.evaluate(x, y); }))
                         .set("value_jacobian_us", microseconds([&](const Point<Dim>& x) { grid.evaluate(x, y, J); }))
                         .set("transpose_times_us", microseconds([&](const Point<Dim>& x) { grid.vjp(x, v, Jtv); }))
                         .set("batch_us", microseconds_of_all([&] {
                                for (Eigen::Index first = 0; first < X.cols(); first += batch)
                                  grid.evaluate_batch(X.middleCols(first, batch), Y, J_batch);
                              })));

  std::atomic<bool> done = false;
  std::thread other([&] {
    Eigen::VectorXd its_y;
    Eigen::MatrixXd its_J;
    for (std::size_t m = 0; !done; m = (m + 1) % points.size()) grid.evaluate(points[m], its_y, its_J);
  });
  const double beside_it = microseconds([&](const Point<Dim>& x) { grid.evaluate(x, y, J); });
  done = true;
  other.join();
  report.results.add(studies::figures::ResultRow()
                         .set("N", outputs)
                         .set("dim", Dim)
                         .set("K", K)
                         .set("cells in", residence)
                         .set("threads", 2)
                         .set("corners", grid.statistics().corners)
                         .set("value_jacobian_us", beside_it));
}

}  // namespace

void small_outputs(Report& report, bool quick) {
  add_corner_counts(report, quick);
  add_small_outputs<2, 1>(report, 1, 4, quick);
  add_small_outputs<2, 2>(report, 1, 4, quick);
  add_small_outputs<2, 3>(report, 1, 4, quick);
  add_small_outputs<3, 1>(report, 6, 8, quick);
  add_small_outputs<3, 2>(report, 6, 8, quick);
  add_small_outputs<3, 3>(report, 6, 8, quick);
  for (const std::size_t corners : {1'000u, 10'000u, 100'000u, 1'000'000u})
    if (!quick || corners <= 10'000) add_small_outputs<3, 1>(report, 6, corners, quick);
}

}  // namespace benchmarks
