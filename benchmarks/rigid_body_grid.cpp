// SPDX-License-Identifier: BSD-3-Clause
// Whether a rigid-body model should be cached: gravity and mass matrix of the iiwa 7 on grids over two and three joints,
// and over the six that they depend on, against calls of the model itself in the same run.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/support/iiwa7.hpp"
#include "quoin/models/rigid_body/dynamics.hpp"
#include "quoin/models/rigid_body/gravity_map.hpp"
#include "quoin/models/rigid_body/mass_matrix_map.hpp"
#include "quoin/quoin.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace {
using namespace quoin;
using namespace quoin::benchmarks;
using namespace quoin::rigid_body;

constexpr double reach = 2;             // rad: the box, [-2, 2] along every joint, is within the limits of all
constexpr double wanted = 1e-4;         // relative error
constexpr double many_queries = 1e5;    // of a long plan
constexpr double worth = 1;             // s that so many queries must save
constexpr std::size_t questions = 256;  // random points, the same for calls and queries

template <int Dim>
std::vector<Point<Dim>> random_points() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> within(-reach, reach);
  std::vector<Point<Dim>> points(questions);
  for (Point<Dim>& x : points)
    for (double& coordinate : x) coordinate = within(random);
  return points;
}

struct Errors {
  double value, jacobian;  // root mean squares over points and outputs, relative
};

template <int Dim, class Map>
Errors errors_of(const AdaptiveGrid<Dim>& grid, const Map& map, const std::vector<Point<Dim>>& points) {
  double value = 0, values = 0, jacobian = 0, jacobians = 0;
  Eigen::VectorXd y, f;
  Eigen::MatrixXd J, df;
  for (const Point<Dim>& x : points) {
    grid.evaluate(x, y, J);
    map.evaluate(x, f, df);
    value += (y - f).squaredNorm();
    values += f.squaredNorm();
    jacobian += (J - df).squaredNorm();
    jacobians += df.squaredNorm();
  }
  return {std::sqrt(value / values), std::sqrt(jacobian / jacobians)};
}

template <int Dim, class Map>
AdaptiveGrid<Dim> grid_of(const Map& map, int cells) {
  return AdaptiveGrid<Dim>(map, {.origin = Point<Dim>::Constant(-reach),
                                 .spacing = Point<Dim>::Constant(2 * reach / cells),
                                 .lower = Point<Dim>::Constant(-reach),
                                 .upper = Point<Dim>::Constant(reach)});
}

/// Seconds of one answer, at all the points in turn.
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

struct Cost {
  double call, query, ratio;  // medians of seconds, and of query / call

  Cost(const std::vector<double>& calls, const std::vector<double>& queries)
      : call(median(calls)), query(median(queries)) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < calls.size(); ++r) ratios.push_back(queries[r] / calls[r]);
    ratio = median(ratios);
  }
  /// Queries from which on a grid that took so long to make has been cheaper.
  double break_even(double seconds_to_make) const {
    return query < call ? seconds_to_make / (call - query) : std::numeric_limits<double>::infinity();
  }
};

struct Row {
  int dim;
  double error;
  double least_ratio;  // query / call, with the query's cell in cache
  double saved;        // s, in many_queries with the Jacobian that meet the whole box, its corners paid for
};

std::string pays_from(double queries) { return std::isinf(queries) ? "never" : io::format_number(std::ceil(queries)); }

template <std::size_t Dim, class Map>
Row measure(const std::string& name, const Map& map, const std::array<int, Dim>& joints, bool quick, Report& report) {
  constexpr int dim = static_cast<int>(Dim);
  Point<7> held;
  held << 0.4, 0.9, -0.5, -1.1, 0.3, 0.7, -0.2;
  const auto slice = restrict_to(map, joints, held);
  const auto points = random_points<dim>();
  int cells = 2;
  while (cells < 64 && errors_of(grid_of<dim>(slice, cells), slice, points).value > wanted) ++cells;

  double sum = 0;
  std::vector<double> corner_costs;
  for (int grids = 0; grids < 9; ++grids) {
    const AdaptiveGrid<dim> fresh = grid_of<dim>(slice, cells);
    const double seconds = static_cast<double>(questions) * seconds_of_values(fresh, points, sum);
    corner_costs.push_back(seconds / static_cast<double>(fresh.statistics().exact_evaluations));
  }
  const AdaptiveGrid<dim> grid = grid_of<dim>(slice, cells);
  const Errors errors = errors_of(grid, slice, points);

  const std::vector<Point<dim>> one_cell(questions, points.front());
  std::vector<double> calls, queries, hot, calls_jacobian, queries_jacobian, hot_jacobian;
  for (int round = -2; round < (quick ? 100 : 1000); ++round) {
    const double call = seconds_of_values(slice, points, sum), query = seconds_of_values(grid, points, sum);
    const double call_jacobian = seconds_of_jacobians(slice, points, sum);
    const double query_jacobian = seconds_of_jacobians(grid, points, sum);
    const double in_cache = seconds_of_values(grid, one_cell, sum);
    const double in_cache_jacobian = seconds_of_jacobians(grid, one_cell, sum);
    if (round < 0) continue;
    calls.push_back(call);
    queries.push_back(query);
    calls_jacobian.push_back(call_jacobian);
    queries_jacobian.push_back(query_jacobian);
    hot.push_back(in_cache);
    hot_jacobian.push_back(in_cache_jacobian);
  }
  if (!std::isfinite(sum)) throw std::runtime_error(name + ": an answer is not finite");

  const Cost value(calls, queries), jacobian(calls_jacobian, queries_jacobian);
  const Cost value_in_cache(calls, hot), jacobian_in_cache(calls_jacobian, hot_jacobian);
  const double corners = std::pow(cells + 1, dim), corner = median(corner_costs);
  const double met = std::min(corners, std::ldexp(many_queries, dim));  // no more than so many queries can
  const Row row{.dim = dim,
                .error = errors.value,
                .least_ratio = std::min(value_in_cache.ratio, jacobian_in_cache.ratio),
                .saved = many_queries * (jacobian.call - jacobian.query) - met * corner};
  report.results.add(io::ResultRow()
                         .set("map", name)
                         .set("joints", dim)
                         .set("outputs", slice.output_size())
                         .set("spacing", 2 * reach / cells)
                         .set("corners", std::llround(corners))
                         .set("corners_made", grid.statistics().exact_evaluations)
                         .set("error", errors.value)
                         .set("jacobian_error", errors.jacobian)
                         .set("call_us", 1e6 * value.call)
                         .set("query_us", 1e6 * value.query)
                         .set("query_in_cache_us", 1e6 * value_in_cache.query)
                         .set("ratio", value.ratio)
                         .set("ratio_in_cache", value_in_cache.ratio)
                         .set("call_jacobian_us", 1e6 * jacobian.call)
                         .set("query_jacobian_us", 1e6 * jacobian.query)
                         .set("query_jacobian_in_cache_us", 1e6 * jacobian_in_cache.query)
                         .set("jacobian_ratio", jacobian.ratio)
                         .set("jacobian_ratio_in_cache", jacobian_in_cache.ratio)
                         .set("corner_us", 1e6 * corner)
                         .set("break_even_queries_value", value.break_even(corners * corner))
                         .set("break_even_queries", jacobian.break_even(corners * corner))
                         .set("break_even_queries_by_grid", grid.statistics().break_even_queries)
                         .set("pays_from", pays_from(jacobian.break_even(corners * corner)))
                         .set("saved_ms", 1e3 * row.saved));
  return row;
}

/// The worst of the rows.
struct Summary {
  double error = 0;
  double least_ratio = std::numeric_limits<double>::infinity();  ///< query / call over all joints that matter
  double saved = 0;                                              ///< s, at most

  explicit Summary(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      error = std::max(error, row.error);
      saved = std::max(saved, row.saved);
      if (row.dim == 6) least_ratio = std::min(least_ratio, row.least_ratio);
    }
  }
};

std::string verdict(const Summary& all) {
  const bool breaks_even = all.least_ratio < 1;
  return "**Should this model be cached? " + std::string(breaks_even || all.saved >= worth ? "It may pay" : "No") +
         ".** Over the six joints that it depends on a query takes at least " + io::format_number(all.least_ratio) +
         " times as long as a call, its cell in cache" + (breaks_even ? "" : ": no number of queries breaks even") +
         ". Over two or three joints, the others held, 1e5 queries save at most " + io::format_number(1e3 * all.saved) +
         " ms, for an error of 1e-4.\n";
}

/// Largest relative difference of the maps' values and Jacobians from inverse dynamics.
double difference_from_dynamics(const RigidBodyTree& tree) {
  Dynamics<> dynamics(tree);
  InverseDynamicsDerivatives<double> at_rest, pushed;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(7);
  const GravityMap<7> gravity(tree);
  const MassMatrixMap<7> mass(tree);
  Eigen::VectorXd g, M;
  Eigen::MatrixXd dg, dM;
  double worst = 0;
  for (const Point<7>& q : random_points<7>()) {
    gravity.evaluate(q, g, dg);
    mass.evaluate(q, M, dM);
    dynamics.inverse_dynamics_derivatives(q, still, still, at_rest);
    worst = std::max({worst, (g - at_rest.tau()).norm() / g.norm(), (dg - at_rest.dtau_dq()).norm() / dg.norm()});
    for (int j = 0; j < 7; ++j) {
      dynamics.inverse_dynamics_derivatives(q, still, Eigen::VectorXd::Unit(7, j), pushed);
      for (int i = j; i < 7; ++i) {
        const Eigen::Index at = MassMatrixMap<7>::index(i, j);
        const auto row = pushed.dtau_dq().row(i) - at_rest.dtau_dq().row(i);
        worst = std::max({worst, std::abs(M[at] - at_rest.mass_matrix()(i, j)) / M.norm(),
                          (dM.row(at) - row).norm() / (dM.norm() + dg.norm())});
      }
    }
  }
  return worst;
}

Report run(bool quick) {
  const RigidBodyTree tree(iiwa::iiwa7_links());
  Report report;
  std::vector<Row> rows;
  const auto add = [&](const std::string& name, const auto& map) {
    rows.push_back(measure(name, map, std::array{1, 3}, quick, report));
    rows.push_back(measure(name, map, std::array{1, 3, 5}, quick, report));
    rows.push_back(measure(name, map, std::array{1, 2, 3, 4, 5, 6}, quick, report));
  };
  add("gravity", GravityMap<7>(tree));
  add("mass matrix", MassMatrixMap<7>(tree));

  const Summary all(rows);
  report.columns = {{"map"},
                    {"joints"},
                    {"outputs"},
                    {"spacing", "spacing [rad]"},
                    {"corners", "corners of the box"},
                    {"error"},
                    {"jacobian_error", "of the Jacobian"},
                    {"call_us", "call [us]"},
                    {"query_us", "query [us]"},
                    {"call_jacobian_us", "call with Jacobian [us]"},
                    {"query_jacobian_us", "query with Jacobian [us]"},
                    {"query_jacobian_in_cache_us", "the same, of one cell [us]"},
                    {"pays_from", "pays from"},
                    {"saved_ms", "saved in 1e5 queries [ms]"}};
  report.notes =
      "KUKA iiwa 7, one thread, cells of K = 1 over [-2, 2] rad along joints 2 and 4; 2, 4 and 6; 2 to 7 (the first "
      "changes neither gravity nor M), the others held. The widest spacing that keeps the error, relative and in the "
      "mean over 256 random points, at " +
      io::format_number(wanted) +
      ". Times are medians over rounds of calls and queries in turn, at these points, warm. 'Pays from': queries after "
      "which the grid has been cheaper, all corners of the box paid for at the measured cost of a corner; over six "
      "joints only the cells of these points are made. 'Saved': with the Jacobian, less the corners.\n\n" +
      verdict(all);

  const double difference = difference_from_dynamics(tree);
  report.checks = {
      {"the maps agree with inverse dynamics to 1e-12: " + io::format_number(difference), difference <= 1e-12},
      {"every grid meets its error of 1e-4: " + io::format_number(all.error), all.error <= wanted},
      {"over six joints a query costs more than a call, with and without Jacobian; least ratio: " +
           io::format_number(all.least_ratio),
       all.least_ratio >= 1},
      {"1e5 queries save less than a second over any joints: " + io::format_number(all.saved), all.saved < worth}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "rigid_body_grid",
                       "Whether the gravity and the mass matrix of a 7-joint arm should be kept on a grid.", run);
}
