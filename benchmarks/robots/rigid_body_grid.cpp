// SPDX-License-Identifier: BSD-3-Clause
// Whether a rigid-body model should be cached: gravity and mass matrix of the iiwa 7 on grids over two and three
// joints, and over the six that they depend on, against calls of the model itself in the same run.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/break_even.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/rigid_body/gravity_map.hpp"
#include "quoin/robots/models/rigid_body/mass_matrix_map.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace {
using namespace benchmarks;
using namespace quoin::rigid_body;

constexpr double reach = 2;             // rad: the box, [-2, 2] along every joint, is within the limits of all
constexpr double wanted = 1e-4;         // relative error
constexpr double many_queries = 1e5;    // of a long plan
constexpr double worth = 1;             // s that many_queries must save
constexpr std::size_t questions = 256;  // random points, the same for calls and queries

template <int Dim>
QueryBox<Dim> box_of() {
  return QueryBox<Dim>::around(Point<Dim>::Zero(), reach);
}

struct Row {
  int dim;
  double error;
  double min_ratio;  // query / call, with the query's cell in cache
  double saved;      // s, for many_queries with the Jacobian that meet the whole box, after the cost of its corners
};

template <std::size_t Dim, class Map>
Row measure(const std::string& name, const Map& map, const std::array<int, Dim>& joints, bool quick, Report& report) {
  constexpr int dim = static_cast<int>(Dim);
  Point<7> held;
  held << 0.4, 0.9, -0.5, -1.1, 0.3, 0.7, -0.2;
  const auto slice = restrict_to(map, joints, held);
  const QueryBox<dim> box = box_of<dim>();
  const auto points = random_points(box, questions);
  const int cells = cells_for<dim>(wanted, box, slice, points);
  const AdaptiveGrid<dim> grid = grid_in<dim>(box, slice, cells);
  const GridErrors errors = errors_at<dim>(points, grid, slice);
  const BreakEven<dim> costs(box, slice, cells, points, quick ? 100 : 1000);

  const Row row{
      .dim = dim, .error = errors.value, .min_ratio = costs.min_ratio(), .saved = costs.saved_in(many_queries)};
  studies::figures::ResultRow result;
  result.set("map", name)
      .set("joints", dim)
      .set("outputs", slice.output_size())
      .set("spacing", costs.spacing(box))
      .set("corners", std::llround(costs.corners()))
      .set("corners_made", grid.statistics().exact_evaluations)
      .set("error", errors.value)
      .set("jacobian_error", errors.jacobian);
  costs.add_costs_to(result);
  report.results.add(result.set("saved_ms", 1e3 * row.saved));
  return row;
}

/// The worst values of all rows.
struct Summary {
  double error = 0;
  double min_ratio = std::numeric_limits<double>::infinity();  ///< query / call over all joints that matter
  double saved = 0;                                            ///< s, at most

  explicit Summary(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      error = std::max(error, row.error);
      saved = std::max(saved, row.saved);
      if (row.dim == 6) min_ratio = std::min(min_ratio, row.min_ratio);
    }
  }
};

std::string verdict(const Summary& all) {
  const bool breaks_even = all.min_ratio < 1;
  return "**Should this model be cached? " + std::string(breaks_even || all.saved >= worth ? "It may pay" : "No") +
         ".** Over the six joints that it depends on a query takes at least " +
         studies::figures::format_number(all.min_ratio) + " times as long as a call, its cell in cache" +
         (breaks_even ? "" : ": no number of queries breaks even") +
         ". Over two or three joints, the others held, 1e5 queries save at most " +
         studies::figures::format_number(1e3 * all.saved) + " ms, for an error of 1e-4.\n";
}

/// Largest relative difference of the maps' values and Jacobians from inverse dynamics.
double difference_from_dynamics(const RigidBodyTree& tree) {
  NewtonEuler<> dynamics(tree);
  InverseDynamicsDerivatives<double> at_rest, pushed;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(7);
  const GravityMap<7> gravity(tree);
  const MassMatrixMap<7> mass(tree);
  Eigen::VectorXd g, M;
  Eigen::MatrixXd dg, dM;
  double worst = 0;
  for (const Point<7>& q : random_points(box_of<7>(), questions)) {
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
  const RigidBodyTree tree(studies::iiwa::iiwa7_links());
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
      studies::figures::format_number(wanted) +
      ". Times are medians over rounds of calls and queries in turn, at these points, warm. 'Pays from': queries after "
      "which the grid has been cheaper, all corners of the box paid for at the measured cost of a corner; over six "
      "joints only the cells of these points are made. 'Saved': with the Jacobian, less the corners.\n\n" +
      verdict(all);

  const double difference = difference_from_dynamics(tree);
  report.checks = {
      {"the maps agree with inverse dynamics to 1e-12: " + studies::figures::format_number(difference),
       difference <= 1e-12},
      {"every grid meets its error of 1e-4: " + studies::figures::format_number(all.error), all.error <= wanted},
      {"over six joints a query costs more than a call, with and without Jacobian; least ratio: " +
           studies::figures::format_number(all.min_ratio),
       all.min_ratio >= 1},
      {"1e5 queries save less than a second over any joints: " + studies::figures::format_number(all.saved),
       all.saved < worth}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "rigid_body_grid",
                       "Whether the gravity and the mass matrix of a 7-joint arm should be kept on a grid.", run);
}
