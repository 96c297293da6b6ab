// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_stroke/report.hpp"

#include "examples/studies/figures/progress.hpp"
#include "examples/studies/plans/plan_words.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <utility>

namespace studies::stroke {
namespace {

using figures::format_number;

constexpr double promised_error = 2e-5;  // of g~, Jia, Pan, Manocha 2019, Table 1
constexpr long promised_corners = 732;   // the same
constexpr double min_distance = 0.1;     // m, half a link
constexpr double replay_agreement = 1e-3;
constexpr double cost_agreement = 1e-4;

figures::ResultRow named_row(const std::string& planner, long vertices) {
  figures::ResultRow row;
  row.set("example", "swimmer_stroke").show("planner", planner).set("P", vertices).set("dim", joints);
  return row;
}

void add_plan(studies::Report& report, const StrokeResult& result, const PlannerResult& planner) {
  const PlannerResult* exact = result.find("exact");
  const bool alike = exact && exact->vertices == planner.vertices;
  const double exact_seconds = !exact ? NAN : alike ? exact->seconds : result.exact_seconds;
  figures::ResultRow row = named_row(planner.name, planner.vertices);
  row.set("evaluations", planner.evaluations)
      .set("evaluations_saved", exact ? exact->evaluations / planner.evaluations : NAN)
      .set("wall_seconds", planner.seconds)
      .set("speedup", exact_seconds / planner.seconds)
      .set("iterations", iterations(planner.plan))
      .set("stop", planner.plan.stop)
      .set("extrapolated", planner.extrapolated)
      .set("cost", planner.plan.cost)
      .set("distance_m", planner.plan.distance)
      .set("largest_angle_rad", planner.plan.largest_angle);
  if (planner.replay)
    row.set("distance_replayed_m", planner.replay->distance)
        .set("cost_replayed", planner.replay->cost)
        .set("replay_angle_difference_rad", planner.replay->largest_angle_difference)
        .set("replay_seconds", planner.replay->seconds)
        .set("replay_evaluations", planner.replay->evaluations);
  if (planner.grid) {
    row.set("corners", static_cast<long>(planner.grid->statistics.corners))
        .set("grid_bytes", static_cast<long>(planner.grid->statistics.bytes));
    if (const auto& errors = planner.grid->errors)
      row.show("relative_error", errors->state, "step error", 2)
          .show("change_relative_error", errors->change, "of the change", 2)
          .show("jacobian_relative_error", errors->jacobian, "of its Jacobian", 2)
          .show("step_exact_ms", 1e3 * errors->seconds_exact, "exact step [ms]")
          .show("step_exact_derivatives_ms", 1e3 * errors->seconds_exact_derivatives, "with derivatives [ms]")
          .show("step_grid_us", 1e6 * errors->seconds_surrogate, "step on grid [us]")
          .show("step_grid_derivatives_us", 1e6 * errors->seconds_surrogate_derivatives, "with derivatives [us]");
    row.show("break_even_queries", planner.grid->statistics.break_even_queries, "break-even queries", 4);
  }
  report.rows.add(std::move(row));
}

void add_estimate(studies::Report& report, const StrokeResult& result, const PlannerResult& exact) {
  figures::ResultRow row = named_row("exact, estimated", result.grid().vertices);
  row.set("evaluations", exact.evaluations)
      .set("evaluations_saved", 1.0)
      .set("wall_seconds", result.exact_seconds)
      .set("speedup", 1.0)
      .set("extrapolated", "from the exact planner on the coarser mesh, at the ratio of the costs of evaluations");
  report.rows.add(std::move(row));
}

void add_notes(studies::Report& report, const StrokeResult& result) {
  const PlannerResult& grid = result.grid();
  const Eigen::MatrixXd& points = grid.plan.points;
  if (points.cols() > 1 && grid.grid->choice.tolerance == 0) {
    const GridChoice& choice = grid.grid->choice;
    const double spacing = std::ldexp(choice.spacing, -levels_for(choice.spacing, choice.threshold).last);
    const double length = (points.rightCols(points.cols() - 1) - points.leftCols(points.cols() - 1)).lpNorm<1>();
    report.notes.push_back("the plan's path through the joint angles crosses " + format_number(length / spacing) +
                           " faces of the finest cells (length " + format_number(length) + " over spacing " +
                           format_number(spacing) +
                           "); evaluations level by level: " + evaluations_by_round(grid.plan) + ".");
  }
  if (grid.replay)
    report.notes.push_back("replayed on boundary elements (" + to_text(grid.replay->evaluations) + " evaluations, " +
                           figures::format_seconds(grid.replay->seconds) + ") the grid's plan swims " +
                           format_number(grid.replay->distance, 7) + " m instead of " +
                           format_number(grid.plan.distance, 7) + " m, the angles differ by at most " +
                           format_number(grid.replay->largest_angle_difference) + " rad, and it costs " +
                           format_number(grid.replay->cost, 7) + " instead of " + format_number(grid.plan.cost, 7) +
                           ".");
  report.notes.push_back("an evaluation of f and its Jacobian took " +
                         format_number(1e3 * result.seconds_per_evaluation) + " ms on one core (median).");
  if (const PlannerResult* exact = result.find("exact")) {
    if (!exact->extrapolated.empty())
      report.notes.push_back(exact->name + " (~) is " + exact->extrapolated +
                             "; cost and displacement are those of the last iterate.");
    if (exact->vertices != grid.vertices)
      report.notes.push_back(
          "exact, estimated (~): the evaluations of " + exact->name +
          ", its time multiplied by the ratio of the costs of an evaluation on both meshes, measured in turns.");
  }
}

void add_checks(studies::Report& report, const StrokeResult& result, bool pinned) {
  const PlannerResult* exact = result.find("exact");
  for (const PlannerResult& planner : result.planners) {
    const std::string who = planner.name + ": ";
    if (!planner.extrapolated.empty()) continue;
    report.checks.push_back({who + "the planner converged (" + planner.plan.stop + ")", planner.plan.finished});
    const double limit = result.fish.setup.joint_limit + 1e-5;
    report.checks.push_back(
        {who + "joint limits hold (largest angle " + format_number(planner.plan.largest_angle, 6) + ")",
         planner.plan.largest_angle <= limit});
    report.checks.push_back({who + "swims forward by at least " + format_number(min_distance) + " m (" +
                                 format_number(planner.plan.distance) + ")",
                             planner.plan.distance >= min_distance, pinned});
    if (!planner.grid) continue;
    const long corners = static_cast<long>(planner.grid->statistics.corners);
    report.checks.push_back({who + to_text(corners) + " corners <= " + to_text(promised_corners),
                             corners <= promised_corners, planner.key == "grid_one_level" && pinned});
    if (const auto& errors = planner.grid->errors)
      report.checks.push_back(
          {who + "error of a step on the grid " + format_number(errors->state) + " <= " + format_number(promised_error),
           errors->state <= promised_error, pinned});
    if (exact && exact->extrapolated.empty() && exact->vertices == planner.vertices) {
      const double apart = std::abs(planner.plan.cost / exact->plan.cost - 1);
      report.checks.push_back(
          {who + "cost within " + format_number(cost_agreement) + " of the exact plan's (" + format_number(apart) + ")",
           apart <= cost_agreement, pinned});
    }
  }
  const PlannerResult& grid = result.grid();
  if (grid.replay) {
    const double apart = std::abs(grid.replay->distance / grid.plan.distance - 1);
    report.checks.push_back({grid.name + ": replayed on boundary elements the displacement is within " +
                                 format_number(replay_agreement) + " (" + format_number(apart) + ")",
                             apart <= replay_agreement, pinned});
  }
}

std::string tables(const figures::JsonResults& rows) {
  return table_of_plans(
             rows, {{"planner"}, {"P"}},
             {{"cost", "cost", 7}, {"distance_m", "displacement [m]", 6}, {"distance_replayed_m", "replayed [m]", 6}}) +
         "\nEvaluations are boundary element solves with derivatives at P vertices. 'fewer' and 'faster' compare with "
         "the "
         "same "
         "planner without\nthe grid, on the same mesh. Displacement is that of the centre of mass, forward.\n\n" +
         rows.with("relative_error").markdown() +
         "\nErrors of one step, the worst of some along the plan, against the exact step.\n";
}

}  // namespace

studies::Report report_on(const StrokeResult& result, bool pinned) {
  studies::Report report;
  for (const PlannerResult& planner : result.planners) add_plan(report, result, planner);
  const PlannerResult* exact = result.find("exact");
  if (exact && exact->vertices != result.grid().vertices) add_estimate(report, result, *exact);
  add_notes(report, result);
  add_checks(report, result, pinned);
  report.tables = tables(report.rows);
  return report;
}

}  // namespace studies::stroke
