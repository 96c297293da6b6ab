// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/query/parts.hpp"
#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/single_precision.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace benchmarks {
namespace {

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
    const double t_transpose = seconds_of([&] { grid.vjp(point(), v, Jtv); });
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

/// Returns the ratio of FromMemory.
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
    if (prepared) grid.prefetch(X);
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

}  // namespace

FromMemory large_outputs(Report& report, bool quick) {
  return {.arm = add_rows<4>(report, 1575, false, quick),
          .arm_single = add_rows<4>(report, 1575, true, quick),
          .large = add_rows<3>(report, 12708, false, quick),
          .large_single = add_rows<3>(report, 12708, true, quick)};
}

}  // namespace benchmarks
