// SPDX-License-Identifier: BSD-3-Clause
// What a query costs, against a plain read of as many bytes in the same run: value, value and Jacobian, J^T v, from a
// cell that is in cache, from cells that fit the last-level cache, and from memory, with jets of doubles and of floats;
// with one and two threads; against the number of corners stored; and what a batch costs, against a loop that fills the
// same matrices.
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/packed_jet.hpp"
#include "quoin/grid/single_precision.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

namespace {
using namespace benchmarks;

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

/// The plain read: a sum over `blocks` scattered, contiguous blocks, in eight independent sums that the compiler turns
/// into vector code.
__attribute__((optimize("O3", "associative-math", "no-signed-zeros", "no-trapping-math"))) double plain_read(
    const std::vector<const double*>& blocks, std::size_t block_size) {
  double sums[64] = {};
  for (const double* at : blocks) {
    for (std::size_t i = 0; i < block_size; i += 64)
      for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += at[i + lane];
  }
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
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

struct Times {
  double value, jacobian, transpose, read;              // medians of seconds
  double value_ratio, jacobian_ratio, transpose_ratio;  // medians of ratios to the read measured beside it
};

/// Takes turns between the three kinds of query and plain reads, of as many bytes as a cell's jets are in doubles, each
/// on cells that none of the others has just touched.
template <int Dim>
Times measure(const AdaptiveGrid<Dim>& grid, const std::vector<Point<Dim>>& points, int repetitions, unsigned seed) {
  const std::size_t block = (grid_detail::packed_size(grid.output_size(), 1 + Dim) + 63) / 64 * 64;
  grid_detail::Arena memory(block);  // the kind of memory that corners lie in
  std::vector<const double*> all_blocks(points.size() * (1 << Dim));
  for (const double*& b : all_blocks) {
    memory.reserve_one();
    double* fresh = memory.take();
    std::fill_n(fresh, block, 1.0);
    b = fresh;
  }
  std::mt19937 random(seed);
  std::shuffle(all_blocks.begin(), all_blocks.end(), random);

  Eigen::VectorXd y, Jtv, v = Eigen::VectorXd::Ones(grid.output_size());
  Eigen::MatrixXd J;
  volatile double keep = 0;
  std::vector<double> value, jacobian, transpose, read, value_ratio, jacobian_ratio, transpose_ratio;
  std::size_t next = 0, next_block = 0;
  std::vector<const double*> blocks(1 << Dim);
  const auto point = [&]() -> const Point<Dim>& { return points[next++ % points.size()]; };
  for (int r = -3; r < repetitions; ++r) {
    const auto timed_read = [&] {
      for (const double*& b : blocks) b = all_blocks[next_block++ % all_blocks.size()];
      return seconds_of([&] { keep = keep + plain_read(blocks, block); });
    };
    const double read_1 = timed_read();
    const double t_value = seconds_of([&] { grid.evaluate(point(), y); });
    const double read_2 = timed_read();
    const double t_jacobian = seconds_of([&] { grid.evaluate(point(), y, J); });
    const double read_3 = timed_read();
    const double t_transpose = seconds_of([&] { grid.transpose_times(point(), v, Jtv); });
    keep = keep + y[0] + J(0, 0) + Jtv[0];
    if (r < 0) continue;
    value.push_back(t_value);
    jacobian.push_back(t_jacobian);
    transpose.push_back(t_transpose);
    read.push_back((read_1 + read_2 + read_3) / 3);
    value_ratio.push_back(t_value / read_1);
    jacobian_ratio.push_back(t_jacobian / read_2);
    transpose_ratio.push_back(t_transpose / read_3);
  }
  return {median(value),       median(jacobian),       median(transpose),      median(read),
          median(value_ratio), median(jacobian_ratio), median(transpose_ratio)};
}

/// Returns value and Jacobian from memory over a plain read, the greater of the two ways that cells came there.
template <int Dim>
double add_rows(Report& report, Eigen::Index outputs, bool single, bool quick) {
  double ratio_from_memory = 0;
  const double cell_megabytes = static_cast<double>(grid_detail::packed_size(outputs, 1 + Dim) * (1 << Dim)) * 8e-6;
  struct Residence {
    const char* name;
    double megabytes;
    bool prepared;  ///< in one call, or asked for by queries, so that a cell's corners lie side by side
  };
  const double more_than_caches = quick ? 300 : 1200;
  for (const auto& [residence, megabytes, prepared] :
       {Residence{"hot", 0, false}, Residence{"last-level cache", 12, true},
        Residence{"memory", more_than_caches, true}, Residence{"memory, by queries", more_than_caches, false}}) {
    const auto cells = static_cast<std::size_t>(std::max(1.0, megabytes / cell_megabytes));
    if (cells == 1 && megabytes > 0) continue;  // one cell is larger than the cache
    std::mt19937 random(1);
    auto points = points_in_distinct_cells<Dim>(cells, random);
    GridOptions<Dim> options;
    if (single) options.precision = single_precision();
    const AdaptiveGrid<Dim> grid(smooth_function<Dim>(outputs), options);
    Eigen::MatrixXd X(Dim, points.size());
    for (std::size_t m = 0; m < points.size(); ++m) X.col(static_cast<Eigen::Index>(m)) = points[m];
    if (prepared) grid.prepare(X);
    Eigen::VectorXd y;
    for (const Point<Dim>& x : points) grid.evaluate(x, y);
    std::shuffle(points.begin(), points.end(), random);

    for (const int threads : {1, 2}) {
      std::vector<Times> times(threads);
      std::vector<std::thread> others;
      const int repetitions = quick ? 200 : 1000;
      for (int t = 1; t < threads; ++t)
        others.emplace_back([&, t] { times[t] = measure<Dim>(grid, points, repetitions, 1 + t); });
      times[0] = measure<Dim>(grid, points, repetitions, 1);
      for (std::thread& other : others) other.join();
      const Times& t = times[0];
      if (threads == 1 && megabytes == more_than_caches)
        ratio_from_memory = std::max(ratio_from_memory, t.jacobian_ratio);
      report.results.add(studies::figures::ResultRow()
                             .set("N", outputs)
                             .set("dim", Dim)
                             .set("numbers", single ? "float" : "double")
                             .set("cells in", residence)
                             .set("threads", threads)
                             .set("corners", grid.statistics().corners)
                             .set("cell_megabytes", cell_megabytes)
                             .set("value_us", 1e6 * t.value)
                             .set("value_jacobian_us", 1e6 * t.jacobian)
                             .set("transpose_times_us", 1e6 * t.transpose)
                             .set("plain_read_us", 1e6 * t.read)
                             .set("value_ratio", t.value_ratio)
                             .set("value_jacobian_ratio", t.jacobian_ratio)
                             .set("transpose_times_ratio", t.transpose_ratio));
    }
  }
  return ratio_from_memory;
}

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
  report.results.add(
      studies::figures::ResultRow()
          .set("N", outputs)
          .set("dim", Dim)
          .set("K", K)
          .set("cells in", residence)
          .set("threads", 1)
          .set("corners", grid.statistics().corners)
          .set("bytes_a_corner", grid.statistics().bytes / grid.statistics().corners)
          .set("value_us", microseconds([&](const Point<Dim>& x) { grid.evaluate(x, y); }))
          .set("value_jacobian_us", microseconds([&](const Point<Dim>& x) { grid.evaluate(x, y, J); }))
          .set("transpose_times_us", microseconds([&](const Point<Dim>& x) { grid.transpose_times(x, v, Jtv); }))
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

struct BatchRatios {
  double value, jacobian;
};

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

/// The most expensive of the batches at N = 3, and a batch at N = 1575 whose points come in random order.
std::pair<BatchRatios, BatchRatios> add_batches(Report& report, bool quick) {
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

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "query", "What a query costs, beside a plain read of as many bytes in the same run.", [](bool quick) {
        Report report;
        const double arm = add_rows<4>(report, 1575, false, quick);
        const double arm_single = add_rows<4>(report, 1575, true, quick);
        const double large = add_rows<3>(report, 12708, false, quick);
        const double large_single = add_rows<3>(report, 12708, true, quick);
        add_corner_counts(report, quick);
        add_small_outputs<2, 1>(report, 1, 4, quick);
        add_small_outputs<2, 2>(report, 1, 4, quick);
        add_small_outputs<2, 3>(report, 1, 4, quick);
        add_small_outputs<3, 1>(report, 6, 8, quick);
        add_small_outputs<3, 2>(report, 6, 8, quick);
        add_small_outputs<3, 3>(report, 6, 8, quick);
        for (const std::size_t corners : {1'000u, 10'000u, 100'000u, 1'000'000u})
          if (!quick || corners <= 10'000) add_small_outputs<3, 1>(report, 6, corners, quick);
        const auto [small_batch, large_batch] = add_batches(report, quick);
        report.columns = {{"N"},
                          {"dim"},
                          {"K"},
                          {"numbers"},
                          {"cells in"},
                          {"threads"},
                          {"corners"},
                          {"bytes_a_corner", "bytes a corner"},
                          {"value_us", "value [us]"},
                          {"value_jacobian_us", "value + Jacobian [us]"},
                          {"transpose_times_us", "J^T v [us]"},
                          {"batch_us", "in batches of 1000 [us]"},
                          {"plain_read_us", "plain read [us]"},
                          {"value_ratio", "value / read"},
                          {"value_jacobian_ratio", "value + Jacobian / read"},
                          {"transpose_times_ratio", "J^T v / read"},
                          {"points"},
                          {"points a cell"},
                          {"batch_value_ratio", "batch / loop, value"},
                          {"batch_jacobian_ratio", "batch / loop, value + Jacobian"}};
        report.notes =
            "Medians; ratios are medians of ratios of neighbours in time. The plain read sums as many scattered blocks "
            "of the size of a corner in doubles, from as much memory. With two threads each thread does the same work. "
            "Cells in memory came there by one prepare() or by queries, cell after cell. "
            "Batches: times per point, value and Jacobian; the loop fills the same matrices; checks allow a tenth for "
            "noise.\n";
        report.checks = {
            {"value + Jacobian from memory, N 1575, d 4, at most 1.25 plain reads: " +
                 studies::figures::format_number(arm),
             arm <= 1.25, false},
            {"value + Jacobian from memory, N 12708, d 3, at most 1.25 plain reads: " +
                 studies::figures::format_number(large),
             large <= 1.25, false},
            {"the same from floats, N 1575, at most 0.75 plain reads of doubles: " +
                 studies::figures::format_number(arm_single),
             arm_single <= 0.75, false},
            {"the same from floats, N 12708, at most 0.75: " + studies::figures::format_number(large_single),
             large_single <= 0.75, false},
            {"batches at N 3 cost at most 1.1 loops, value: " + studies::figures::format_number(small_batch.value) +
                 ", value + Jacobian: " + studies::figures::format_number(small_batch.jacobian),
             small_batch.value <= 1.1 && small_batch.jacobian <= 1.1},
            {"values in a batch at N 1575, 8 points a cell in random order, at most 0.55 of a loop: " +
                 studies::figures::format_number(large_batch.value),
             large_batch.value <= 0.55},
            {"with Jacobians, bound by arithmetic and by writing them, at most 0.8: " +
                 studies::figures::format_number(large_batch.jacobian),
             large_batch.jacobian <= 0.8}};
        return report;
      });
}
