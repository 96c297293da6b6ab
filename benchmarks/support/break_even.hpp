// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/grid/adaptive_grid.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/// Whether a grid should answer for a map: errors of a grid that fills a box, and its cost
/// against calls in the same run.
namespace benchmarks {

template <int Dim>
struct QueryBox {
  Point<Dim> lower, upper;

  static QueryBox around(const Point<Dim>& middle, double reach) {
    return {middle.array() - reach, middle.array() + reach};
  }
};

template <int Dim>
std::vector<Point<Dim>> random_points(const QueryBox<Dim>& box, std::size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<Point<Dim>> points(count);
  for (Point<Dim>& x : points)
    for (int i = 0; i < Dim; ++i) x[i] = std::uniform_real_distribution<double>(box.lower[i], box.upper[i])(random);
  return points;
}

/// A grid of `cells` cells along every edge of the box.
template <int Dim, class Map>
AdaptiveGrid<Dim> grid_in(const QueryBox<Dim>& box, const Map& map, int cells, GridOptions<Dim> options = {}) {
  options.origin = options.lower = box.lower;
  options.upper = box.upper;
  options.spacing = (box.upper - box.lower) / cells;
  return AdaptiveGrid<Dim>(map, options);
}

/// Relative to the root mean square of what is approximated.
struct GridErrors {
  double value = 0, jacobian = 0;              ///< root mean squares over points and outputs
  double worst_value = 0, worst_jacobian = 0;  ///< over points
};

template <int Dim, class Grid, class Map>
GridErrors errors_at(const std::vector<Point<Dim>>& points, const Grid& grid, const Map& map) {
  double value = 0, values = 0, jacobian = 0, jacobians = 0;
  GridErrors errors;
  Eigen::VectorXd y, f;
  Eigen::MatrixXd J, df;
  for (const Point<Dim>& x : points) {
    grid.evaluate(x, y, J);
    map.evaluate(x, f, df);
    const double off = (y - f).squaredNorm(), slope_off = (J - df).squaredNorm();
    value += off;
    values += f.squaredNorm();
    jacobian += slope_off;
    jacobians += df.squaredNorm();
    errors.worst_value = std::max(errors.worst_value, off);
    errors.worst_jacobian = std::max(errors.worst_jacobian, slope_off);
  }
  const auto count = static_cast<double>(points.size());
  errors.value = std::sqrt(value / values);
  errors.jacobian = std::sqrt(jacobian / jacobians);
  errors.worst_value = std::sqrt(errors.worst_value * count / values);
  errors.worst_jacobian = std::sqrt(errors.worst_jacobian * count / jacobians);
  return errors;
}

/// The fewest cells along an edge of the box, at most `most`, that bring the value's error to the wanted one.
template <int Dim, class Map>
int cells_for(double wanted, const QueryBox<Dim>& box, const Map& map, const std::vector<Point<Dim>>& points,
              int most = 64) {
  int cells = 2;
  while (cells < most && errors_at<Dim>(points, grid_in<Dim>(box, map, cells), map).value > wanted) ++cells;
  return cells;
}

/// Seconds per answer, over all the points in turn.
template <int Dim, class Map>
double seconds_of_values(const Map& map, const std::vector<Point<Dim>>& points, double& sum) {
  Eigen::VectorXd y;
  return seconds_of([&] {
           for (const Point<Dim>& x : points) {
             map.evaluate(x, y);
             sum += y[0];
           }
         }) /
         static_cast<double>(points.size());
}
template <int Dim, class Map>
double seconds_of_jacobians(const Map& map, const std::vector<Point<Dim>>& points, double& sum) {
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  return seconds_of([&] {
           for (const Point<Dim>& x : points) {
             map.evaluate(x, y, J);
             sum += y[0] + J(0, 0);
           }
         }) /
         static_cast<double>(points.size());
}

struct QueryCost {
  double call, query, ratio;  ///< medians of seconds, and of query / call

  QueryCost(const std::vector<double>& calls, const std::vector<double>& queries)
      : call(median(calls)), query(median(queries)) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < calls.size(); ++r) ratios.push_back(queries[r] / calls[r]);
    ratio = median(ratios);
  }
  /// The number of queries from which on a grid that took `seconds_to_make` is cheaper.
  double break_even(double seconds_to_make) const {
    return query < call ? seconds_to_make / (call - query) : std::numeric_limits<double>::infinity();
  }
};

/// Costs of a grid that fills the box, including all its corners at the measured cost of one.
template <int Dim>
class BreakEven {
 public:
  /// Times calls and queries in turn at the points, `rounds` times in each layout of memory. The calls compared are
  /// those of the layout in which they are fastest, the cost of a corner that of the layout in which it is cheapest.
  /// With one layout the map is used as it stands. Throws std::runtime_error for answers that are not finite.
  template <class Map>
  BreakEven(const QueryBox<Dim>& box, const Map& map, int cells, const std::vector<Point<Dim>>& points, int rounds,
            int layouts = 1)
      : BreakEven(cells, fastest(box, map, cells, points, rounds, layouts)) {}

  double spacing(const QueryBox<Dim>& box) const { return (box.upper - box.lower)[0] / cells_; }
  double corners() const { return std::pow(cells_ + 1, Dim); }
  const QueryCost& jacobian() const { return jacobian_; }
  /// query / call with the query's cell in cache, the better of with and without the Jacobian.
  double min_ratio() const { return std::min(value_in_cache_.ratio, jacobian_in_cache_.ratio); }
  /// The number of queries with the Jacobian from which on the grid is cheaper.
  double queries() const { return jacobian_.break_even(corners() * corner_); }
  /// Seconds that `queries` queries with the Jacobian save, less the cost of the corners that these can meet at most.
  double saved_in(double queries) const {
    return queries * (jacobian_.call - jacobian_.query) - std::min(corners(), std::ldexp(queries, Dim)) * corner_;
  }

  void add_costs_to(studies::figures::ResultRow& row) const {
    row.set("call_us", 1e6 * value_.call)
        .set("query_us", 1e6 * value_.query)
        .set("query_in_cache_us", 1e6 * value_in_cache_.query)
        .set("ratio", value_.ratio)
        .set("ratio_in_cache", value_in_cache_.ratio)
        .set("call_jacobian_us", 1e6 * jacobian_.call)
        .set("query_jacobian_us", 1e6 * jacobian_.query)
        .set("query_jacobian_in_cache_us", 1e6 * jacobian_in_cache_.query)
        .set("jacobian_ratio", jacobian_.ratio)
        .set("jacobian_ratio_in_cache", jacobian_in_cache_.ratio)
        .set("corner_us", 1e6 * corner_)
        .set("break_even_queries_value", value_.break_even(corners() * corner_))
        .set("break_even_queries", queries())
        .set("break_even_queries_by_grid", by_grid_)
        .set("pays_from", std::isinf(queries()) ? "never" : studies::figures::format_number(std::ceil(queries())));
  }

 private:
  struct Timings {
    std::vector<double> calls, queries, hot, calls_jacobian, queries_jacobian, hot_jacobian, corner_costs;
    double by_grid = 0;

    template <class Map>
    Timings(const QueryBox<Dim>& box, const Map& map, int cells, const std::vector<Point<Dim>>& points, int rounds,
            int fills) {
      double sum = 0;
      for (int grids = 0; grids < fills; ++grids) {
        const AdaptiveGrid<Dim> fresh = grid_in<Dim>(box, map, cells);
        const double seconds = static_cast<double>(points.size()) * seconds_of_values<Dim>(fresh, points, sum);
        corner_costs.push_back(seconds / static_cast<double>(fresh.statistics().exact_evaluations));
      }
      const AdaptiveGrid<Dim> grid = grid_in<Dim>(box, map, cells);
      const std::vector<Point<Dim>> one_cell(points.size(), points.front());
      for (int round = -2; round < rounds; ++round) {
        const double call = seconds_of_values<Dim>(map, points, sum), query = seconds_of_values<Dim>(grid, points, sum);
        const double call_jacobian = seconds_of_jacobians<Dim>(map, points, sum);
        const double query_jacobian = seconds_of_jacobians<Dim>(grid, points, sum);
        const double in_cache = seconds_of_values<Dim>(grid, one_cell, sum);
        const double in_cache_jacobian = seconds_of_jacobians<Dim>(grid, one_cell, sum);
        if (round < 0) continue;
        calls.push_back(call);
        queries.push_back(query);
        calls_jacobian.push_back(call_jacobian);
        queries_jacobian.push_back(query_jacobian);
        hot.push_back(in_cache);
        hot_jacobian.push_back(in_cache_jacobian);
      }
      if (!std::isfinite(sum)) throw std::runtime_error("an answer is not finite");
      by_grid = grid.statistics().break_even_queries;
    }
  };

  /// In each layout, copies of the map and what it allocates in a call lie at other addresses.
  template <class Map>
  static Timings fastest(const QueryBox<Dim>& box, const Map& map, int cells, const std::vector<Point<Dim>>& points,
                         int rounds, int layouts) {
    if (layouts == 1) return Timings(box, map, cells, points, rounds, 9);
    std::vector<std::vector<double>> between;
    std::vector<Timings> timings;
    for (int layout = 0; layout < layouts; ++layout) {
      between.emplace_back(37 * (layout + 1) + layout % 3 * 625);
      const Map copy = map;
      timings.emplace_back(box, copy, cells, points, rounds, 3);
    }
    const auto least = [&](const auto& seconds) -> const Timings& {
      return *std::min_element(timings.begin(), timings.end(),
                               [&](const Timings& a, const Timings& b) { return seconds(a) < seconds(b); });
    };
    Timings best = least([](const Timings& t) { return median(t.calls) + median(t.calls_jacobian); });
    best.corner_costs = least([](const Timings& t) { return median(t.corner_costs); }).corner_costs;
    return best;
  }

  BreakEven(int cells, const Timings& seconds)
      : cells_(cells),
        value_(seconds.calls, seconds.queries),
        jacobian_(seconds.calls_jacobian, seconds.queries_jacobian),
        value_in_cache_(seconds.calls, seconds.hot),
        jacobian_in_cache_(seconds.calls_jacobian, seconds.hot_jacobian),
        corner_(median(seconds.corner_costs)),
        by_grid_(seconds.by_grid) {}

  int cells_;
  QueryCost value_, jacobian_, value_in_cache_, jacobian_in_cache_;
  double corner_, by_grid_;
};

}  // namespace benchmarks
