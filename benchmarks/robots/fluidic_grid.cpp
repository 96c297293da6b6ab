// SPDX-License-Identifier: BSD-3-Clause
// Whether a constant-curvature arm should be cached: mass matrix and gravity of the four-segment arm of Table 1
// (Marchese, Tedrake, Rus 2015) on grids, along a motion, against the arm itself in the same run.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/break_even.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/models/fluidic_arm/arm_over_map.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/robots/models/fluidic_arm/mass_gravity_map.hpp"

#include <cmath>
#include <limits>

namespace {
using namespace benchmarks;
using namespace quoin::fluidic_arm;

using Map = MassGravityMap<4>;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double time_step = 2e-3, duration = 2;  // s
constexpr double wanted = 1e-4;                   // relative error at which a grid is timed
constexpr double many_queries = 1e5;
constexpr double worth = 1;  // s that many_queries must save

ArmDescription table1_arm() {
  ArmDescription arm;
  for (const double mass : {0.190, 0.146, 0.090, 0.090})
    arm.segments.push_back({.length = 0.13, .mass = mass, .stiffness = 0.108, .damping = 4.2e-3});
  return arm;
}

struct Motion {
  std::vector<Vector> states;  // x(0), x(dt), ...
  StepStatus status = StepStatus::ok;
};

template <class Arm>
Motion released(const Arm& arm, const Vector& start, double step) {
  const int between = static_cast<int>(std::lround(time_step / step));
  Motion motion{.states = {start}};
  Vector x = start;
  const Vector none = Vector::Zero(arm.control_size());
  for (int i = 1; i <= std::lround(duration / step); ++i) {
    motion.status = runge_kutta_step(
        arm, [&](double) { return none; }, 0, step, x, std::numeric_limits<double>::infinity());
    if (motion.status != StepStatus::ok) break;
    if (i % between == 0) motion.states.push_back(x);
  }
  return motion;
}

/// The largest distances between two motions, in the state and at the tip.
struct Drift {
  double angle = 0, rate = 0, tip = 0;  // rad, rad/s, m

  Drift(const FluidicArm& arm, const Motion& a, const Motion& b) {
    for (std::size_t i = 0; i < std::min(a.states.size(), b.states.size()); ++i) {
      const Vector &x = a.states[i], &y = b.states[i];
      angle = std::max(angle, (x - y).head(4).cwiseAbs().maxCoeff());
      rate = std::max(rate, (x - y).tail(4).cwiseAbs().maxCoeff());
      tip = std::max(tip, (arm.tip(x.head(4)) - arm.tip(y.head(4))).norm());
    }
  }
};

/// Root mean squares along the motion, relative to those of M, of G and of the Jacobian.
struct MapErrors {
  double mass, gravity, jacobian;

  template <class Grid>
  MapErrors(const std::vector<Point<4>>& points, const Grid& grid, const Map& map) {
    double off[3] = {}, all[3] = {};
    Vector y, f;
    Matrix J, df;
    for (const Point<4>& q : points) {
      grid.evaluate(q, y, J);
      map.evaluate(q, f, df);
      const auto add = [](double* sums, const Vector& value, const Matrix& slope) {
        sums[0] += value.head(10).squaredNorm();
        sums[1] += value.tail(4).squaredNorm();
        sums[2] += slope.squaredNorm();
      };
      add(off, y - f, J - df);
      add(all, f, df);
    }
    mass = std::sqrt(off[0] / all[0]);
    gravity = std::sqrt(off[1] / all[1]);
    jacobian = std::sqrt(off[2] / all[2]);
  }
};

/// 1 / (sqrt(14) times the root mean square along the motion): a tolerance then is relative, for every output alike.
Vector weights_of(const std::vector<Point<4>>& points, const Map& map) {
  Vector squares = Vector::Zero(14), y;
  for (const Point<4>& q : points) {
    map.evaluate(q, y);
    squares += y.cwiseAbs2();
  }
  return (14 / static_cast<double>(points.size()) * squares).cwiseSqrt().cwiseInverse();
}

/// Seconds per rate x' of each arm at the states of the motion: medians over rounds, the arms taking turns.
template <class... Arms>
std::vector<double> seconds_of_rates(const Motion& motion, int rounds, const Arms&... arms) {
  std::vector<std::vector<double>> seconds(sizeof...(arms));
  Vector rate;
  const Vector none = Vector::Zero(3);
  double sum = 0;
  for (int round = -1; round < rounds; ++round) {
    std::size_t which = 0;
    const auto time = [&](const auto& arm) {
      const double taken = seconds_of([&] {
        for (const Vector& x : motion.states) {
          arm.rate(x, none, rate);
          sum += rate[4];
        }
      });
      if (round >= 0) seconds[which].push_back(taken / static_cast<double>(motion.states.size()));
      ++which;
    };
    (time(arms), ...);
  }
  if (!std::isfinite(sum)) throw std::runtime_error("a rate is not finite");
  std::vector<double> medians;
  for (const auto& each : seconds) medians.push_back(median(each));
  return medians;
}

double us(double seconds) { return 1e6 * seconds; }

/// Costs of the coarsest grid over a box that brings the value to the wanted error.
struct CostOfGrid {
  int cells = 0;
  double error = 0, call = 0, query = 0, saved = 0;  // s, with the Jacobian
  studies::figures::ResultRow row;

  CostOfGrid(const std::string& name, const QueryBox<4>& box, const Map& map, const std::vector<Point<4>>& points,
             int rounds)
      : cells(cells_for<4>(wanted, box, map, points, 32)) {
    const GridErrors errors = errors_at<4>(points, grid_in<4>(box, map, cells), map);
    const BreakEven<4> costs(box, map, cells, points, rounds);
    error = errors.value;
    call = costs.jacobian().call;
    query = costs.jacobian().query;
    saved = costs.saved_in(many_queries);
    row.set("box", name)
        .set("cells", cells)
        .set("corners", std::llround(costs.corners()))
        .set("error", errors.value)
        .set("jacobian_error", errors.jacobian);
    costs.add_costs_to(row);
    row.set("saved_ms", 1e3 * saved);
  }
};

Report run(bool quick) {
  const ArmDescription description = table1_arm();
  const FluidicArm arm(description);
  const Map map(arm);
  const ArmOverMap<4, Map> over_exact(map, description);

  Vector torques(3);
  torques << 0.12, 0.13, 0.18;
  const Equilibrium bent = find_equilibrium(arm, torques, Vector::Zero(4));
  Vector start = Vector::Zero(8);
  start.head(4) = bent.q;
  const Motion exact = released(arm, start, time_step), fine = released(arm, start, time_step / 8);
  const double step_error = Drift(arm, exact, fine).tip;
  std::vector<Point<4>> points;
  for (const Vector& x : exact.states) points.push_back(x.head(4));

  double rate_difference = 0;
  Vector expected, rate;
  for (const Vector& x : exact.states) {
    arm.rate(x, Vector::Zero(3), expected);
    over_exact.rate(x, Vector::Zero(3), rate);
    rate_difference = std::max(rate_difference, (rate - expected).norm() / expected.norm());
  }

  Report report;
  struct Row {
    double spacing, mass, tip;
  };
  std::vector<Row> rows;
  double worst_tolerance = 0;
  const auto measure = [&](const std::string& name, const GridOptions<4>& options) {
    const AdaptiveGrid<4> grid(map, options);
    const auto view = options.tolerance ? grid.at_tolerance(*options.tolerance) : grid.at_level(0);
    const Motion motion = released(ArmOverMap<4, GridView<4>>(view, description), start, time_step);
    const std::size_t evaluations = grid.statistics().exact_evaluations;
    const MapErrors errors(points, view, map);
    const Drift drift(arm, motion, exact);
    report.results.add(studies::figures::ResultRow()
                           .set("grid", name)
                           .set("mass_error", errors.mass)
                           .set("gravity_error", errors.gravity)
                           .set("jacobian_error", errors.jacobian)
                           .set("angle_error", drift.angle)
                           .set("rate_error", drift.rate)
                           .set("tip_error_mm", 1e3 * drift.tip)
                           .set("evaluations", evaluations)
                           .set("status", to_string(motion.status)));
    if (options.tolerance)
      worst_tolerance = std::max(worst_tolerance, std::max(errors.mass, errors.gravity) / *options.tolerance);
    else
      rows.push_back({options.spacing[0], errors.mass, drift.tip});
  };
  for (const double spacing : {0.8, 0.4, 0.2, 0.1})
    measure("spacing " + studies::figures::format_number(spacing) + " rad", {.spacing = Point<4>::Constant(spacing)});
  const Vector weights = weights_of(points, map);
  for (const double tolerance : {1e-3, 1e-5, 1e-7})
    measure("tolerance " + studies::figures::format_number(tolerance),
            {.spacing = Point<4>::Constant(0.8), .tolerance = tolerance, .output_weights = weights});

  // The costs of a grid over the box of the motion, queried at its points, and of a grid over all
  // angles that the arm may take.
  QueryBox<4> near{points.front(), points.front()};
  for (const Point<4>& q : points) {
    near.lower = near.lower.cwiseMin(q);
    near.upper = near.upper.cwiseMax(q);
  }
  const Point<4> margin = 0.05 * (near.upper - near.lower);
  near.lower -= margin, near.upper += margin;
  const int rounds = quick ? 30 : 200;
  const CostOfGrid motion_cost("the motion", near, map, points, rounds);
  const QueryBox<4> everywhere = QueryBox<4>::around(Point<4>::Zero(), 1.5);
  const CostOfGrid wide_cost("[-1.5, 1.5]^4", everywhere, map, random_points(everywhere, 256), rounds);
  const AdaptiveGrid<4> grid = grid_in<4>(near, map, motion_cost.cells);
  const std::vector<double> rates =
      seconds_of_rates(exact, rounds, arm, over_exact, ArmOverMap<4, GridView<4>>(grid.at_level(0), description));
  const double per_rate = rates[0] - rates[2];  // what the grid saves per rate, against the arm itself
  const double saved = std::max(motion_cost.saved, wide_cost.saved);
  studies::figures::JsonResults costs;
  for (const CostOfGrid* cost : {&motion_cost, &wide_cost}) {
    costs.add(cost->row);
    report.further_rows.push_back(cost->row);
  }
  report.further_rows.push_back(studies::figures::ResultRow()
                                    .set("rate_us", us(rates[0]))
                                    .set("rate_over_exact_us", us(rates[1]))
                                    .set("rate_over_grid_us", us(rates[2])));

  report.columns = {{"grid"},
                    {"mass_error", "error of M"},
                    {"gravity_error", "of G"},
                    {"jacobian_error", "of the Jacobian"},
                    {"angle_error", "motion: angles [rad]"},
                    {"rate_error", "rates [rad/s]"},
                    {"tip_error_mm", "tip [mm]"},
                    {"evaluations", "evaluations"}};
  report.notes =
      "The arm of Table 1 (4 x 0.13 m), released from rest under torques of 0.12, 0.13 and 0.18 N m, 2 s by "
      "Runge-Kutta "
      "steps of 2 ms (tip within " +
      studies::figures::format_number(1e3 * step_error) +
      " mm of steps of 0.25 ms). Errors of the maps: relative root mean squares along the motion; of the motion over a "
      "grid: largest differences from the exact one; evaluations: of the map, in that motion. Tolerances are "
      "relative.\n\nCosts, of the widest spacing that keeps the value to 1e-4 (medians over rounds of calls and "
      "queries "
      "in turn; over the motion's box at its points one after the other, over the wide box at random ones):\n\n" +
      costs.markdown({{"box"},
                      {"cells", "cells an edge"},
                      {"corners"},
                      {"error"},
                      {"jacobian_error", "of the Jacobian"},
                      {"call_jacobian_us", "call with Jacobian [us]"},
                      {"query_jacobian_us", "query with Jacobian [us]"},
                      {"corner_us", "corner [us]"},
                      {"pays_from", "pays from, queries"},
                      {"saved_ms", "saved in 1e5 queries [ms]"}}) +
      "\n| dx/dt at the states of the motion | us |\n|---|---:|\n| FluidicArm | " +
      studies::figures::format_number(us(rates[0])) + " |\n| ArmOverMap, exact map | " +
      studies::figures::format_number(us(rates[1])) + " |\n| ArmOverMap, grid over the motion | " +
      studies::figures::format_number(us(rates[2])) + " |\n\n" +
      (saved < worth && many_queries * per_rate < worth
           ? "**Should this model be cached? No.** A query is " +
                 studies::figures::format_number(motion_cost.call / motion_cost.query) +
                 " times cheaper than a call, but 1e5 queries save at most " +
                 studies::figures::format_number(1e3 * saved) + " ms, and 1e5 rates " +
                 studies::figures::format_number(1e3 * many_queries * per_rate) +
                 " ms, for an error that the model has not. A planner that asks for millions of rates near one motion "
                 "gains the same factor, no more.\n"
           : "**Should this model be cached? It may pay.**\n");

  const double order = std::log2(rows.front().mass / rows.back().mass) / static_cast<double>(rows.size() - 1);
  report.checks = {
      {"the bent pose is an equilibrium", bent.converged},
      {"an arm over the exact map moves as the arm does to 1e-12: " + studies::figures::format_number(rate_difference),
       rate_difference <= 1e-12},
      {"M on the grid is of order 4 along the motion: " + studies::figures::format_number(order),
       order > 3.5 && order < 4.5},
      {"the motion over the finest grid keeps the tip to 0.01 mm: " +
           studies::figures::format_number(1e3 * rows.back().tip) + " mm",
       rows.back().tip < 1e-5},
      {"errors in tolerance mode stay below three times the tolerance: " +
           studies::figures::format_number(worst_tolerance),
       worst_tolerance < 3},
      {"the timed grids meet their error of 1e-4: " +
           studies::figures::format_number(std::max(motion_cost.error, wide_cost.error)),
       std::max(motion_cost.error, wide_cost.error) <= wanted},
      {"1e5 queries save less than a second: " + studies::figures::format_number(saved), saved < worth}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "fluidic_grid",
                       "Whether mass matrix and gravity of a constant-curvature arm should be kept on a grid.", run);
}
