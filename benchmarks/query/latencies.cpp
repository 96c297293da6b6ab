// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/query/parts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

struct Latencies {
  double median, most, slowest;  // us; most: 99.9 %
};

template <int Dim, class Map>
Latencies measured(const Map& map, const std::vector<Point<Dim>>& points, std::size_t queries) {
  using Clock = std::chrono::steady_clock;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  map.evaluate(points.front(), y, J);
  std::vector<double> each(queries);
  for (std::size_t q = 0; q < queries; ++q) {
    const auto begin = Clock::now();
    map.evaluate(points[q % points.size()], y, J);
    each[q] = 1e6 * std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::sort(each.begin(), each.end());
  return {each[queries / 2], each[queries - queries / 1000 - 1], each.back()};
}

/// Single queries along a path, as of a control loop: value and Jacobian, of the grid and frozen.
template <int Dim>
void add_latencies(Report& report, Eigen::Index outputs, std::size_t queries) {
  std::vector<Point<Dim>> points;
  for (int k = 0; k < 1000; ++k) {
    Point<Dim> x;
    for (int i = 0; i < Dim; ++i) x[i] = 1.5 * std::sin(0.0063 * k * (i + 1));
    points.push_back(x);
  }
  const AdaptiveGrid<Dim> grid(smooth_function<Dim>(outputs), {.spacing = Point<Dim>::Constant(0.5)});
  const auto add = [&](const std::string& asked, const auto& map) {
    measured<Dim>(map, points, points.size());
    const Latencies found = measured<Dim>(map, points, queries);
    report.results.add(studies::figures::ResultRow()
                           .set("N", outputs)
                           .set("dim", Dim)
                           .set("cells in", asked)
                           .set("threads", 1)
                           .set("corners", grid.statistics().corners)
                           .set("points", queries)
                           .set("value_jacobian_us", found.median)
                           .set("most_us", found.most)
                           .set("slowest_us", found.slowest));
  };
  add("a path, level", grid.at_level(0));
  add("a path, level, frozen", grid.frozen());
  add("a path, tolerance", grid.at_tolerance(1e-3));
  add("a path, tolerance, frozen", grid.at_tolerance(1e-3).frozen());
}

}  // namespace

void latencies(Report& report, bool quick) {
  add_latencies<3>(report, 6, quick ? 100'000 : 1'000'000);
  add_latencies<4>(report, 1575, quick ? 5'000 : 50'000);
}

}  // namespace benchmarks
