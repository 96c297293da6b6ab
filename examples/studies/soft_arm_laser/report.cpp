// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/report.hpp"

#include "examples/studies/plans/plan_words.hpp"
#include "examples/studies/soft_arm_laser/readme_claims.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <utility>

namespace studies::laser {
namespace {

using figures::format_number;

constexpr double promised_error = 7e-6;  // of g~, Jia, Pan, Manocha 2019, Table 1
constexpr double cost_agreement = 1e-4;
constexpr double polished_agreement = 1e-2;  // of a cost on Eq. 2 with the least that is known
constexpr double polished_spot = 2e-3;       // m, on Eq. 2: a twentieth of what plans on Eq. 8 miss there
constexpr double inertial_agreement = 2e-2, corrected_agreement = 5e-4;  // the same, of plans with inertia

Eigen::VectorXd path_lengths(const Eigen::MatrixXd& alphas) {
  return (alphas.rightCols(alphas.cols() - 1) - alphas.leftCols(alphas.cols() - 1)).cwiseAbs().rowwise().sum();
}

/// Seconds to a cost within 1 % of the plan made on Eq. 2 from scratch; NaN where that is not known.
template <int SpaceDim>
double seconds_to_truth(const ArmResult<SpaceDim>& result, const PlannerResult& planner) {
  const PlannerResult* full = result.find("eq2");
  if (!full || !full->plan.finished || planner.key == "obstacles") return NAN;
  if (planner.key == "eq2") return seconds_to_one_percent(planner.plan, full->plan.cost);
  if (!planner.plan.polished) return NAN;
  return planner.seconds + seconds_to_one_percent(*planner.plan.polished, full->plan.cost);
}

template <int SpaceDim>
void add_plan(studies::Report& report, const ArmResult<SpaceDim>& result, const PlannerResult& planner) {
  const PlannerResult* exact = result.find("eq8");
  const bool comparable = exact && planner.key != "obstacles";
  figures::ResultRow row;
  row.set("example", "soft_arm_laser")
      .show("arm", arm_name<SpaceDim>())
      .set("N", static_cast<long>(result.arm.body.size()))
      .set("dim", result.lines)
      .show("planner", planner.name)
      .set("evaluations", planner.evaluations)
      .set("evaluations_saved", comparable && planner.key != "eq2" ? exact->evaluations / planner.evaluations : NAN)
      .set("wall_seconds", planner.seconds)
      .set("speedup", comparable ? exact->seconds / planner.seconds : NAN)
      .set("iterations", iterations(planner.plan))
      .set("stop", planner.plan.stop)
      .set("extrapolated", planner.extrapolated)
      .set("cost", planner.plan.cost)
      .set("cost_replayed", planner.replay.cost)
      .set("spot_error_max_mm", 1e3 * planner.replay.largest_error)
      .set("spot_error_rms_mm", 1e3 * planner.replay.mean_error);
  const PlannerResult* full = result.find("eq2");
  if (full && full->plan.finished && planner.key != "obstacles")
    row.set("faster_than_eq2", seconds_to_truth(result, *full) / seconds_to_truth(result, planner));
  if (planner.polished)
    row.set("cost_polished", planner.polished->cost)
        .set("polish_seconds", planner.plan.polished->seconds)
        .set("polish_steps", planner.plan.polished->evaluations)
        .set("polished_spot_error_max_mm", 1e3 * planner.polished->largest_error);
  if (planner.grid) {
    const StepErrors& errors = planner.grid->errors;
    row.show("relative_error", errors.state, "step error", 2)
        .show("displacement_relative_error", errors.displacement, "of displacement", 2)
        .show("jacobian_relative_error", errors.jacobian, "of Jacobian", 2)
        .set("basis_remainder", errors.basis_remainder)
        .set("share_verified", errors.share_verified)
        .show("shape_error", errors.share_verified > 0 ? errors.shape : NAN, "error of f [m]", 3)
        .show("shape_error_verified", errors.share_verified > 0 ? errors.shape_verified : NAN, "as verified [m]", 3)
        .show("step_exact_ms", 1e3 * errors.seconds_exact, "exact step [ms]")
        .show("evaluations_per_exact_step", errors.evaluations_per_step, "equilibria in it")
        .show("step_grid_us", 1e6 * errors.seconds_grid, "step on grid [us]")
        .show("break_even_queries", planner.grid->statistics.break_even_queries, "break-even queries", 4)
        .set("grid_bytes", static_cast<long>(planner.grid->statistics.bytes));
    const Eigen::VectorXd lengths = path_lengths(planner.plan.points);
    row.set("path_lengths", std::vector<double>(lengths.begin(), lengths.end()));
  }
  if (planner.key == "obstacles")
    row.set("clearance_mm", 1e3 * result.obstacles->clearance)
        .set("clearance_replayed_mm", 1e3 * result.obstacles->clearance_replayed)
        .set("clearance_polished_mm", 1e3 * result.obstacles->clearance_polished);
  report.rows.add(std::move(row));
}

template <int SpaceDim>
void add_notes(studies::Report& report, const ArmResult<SpaceDim>& result) {
  const std::string arm = arm_name<SpaceDim>() + ": ";
  const PlannerResult& grid = result.grid();
  for (const PlannerResult& planner : result.planners)
    if (!planner.extrapolated.empty())
      report.notes.push_back(arm + planner.name + " (~) is " + planner.extrapolated +
                             "; its cost and spot are those of the last iterate.");
  if (!grid.plan.points.size()) return;
  const double spacing =
      std::ldexp(grid.grid->choice.spacing, -levels_for(grid.grid->choice.spacing, grid.grid->choice.threshold).last);
  const double length = path_lengths(grid.plan.points).sum();
  report.notes.push_back(
      arm + "the plan's path in alpha crosses " + format_number(length / spacing) +
      " faces of the finest cells (length " + format_number(length) + " over spacing " + format_number(spacing) +
      "); evaluations level by level, those for the basis of shapes in the first: " + evaluations_by_round(grid.plan) +
      ".");
  const PlannerResult* full = result.find("eq2");
  if (full && full->plan.finished)
    report.notes.push_back(arm + "Eq. 8 is a model of Eq. 2: the grid's plan, replayed on Eq. 2, costs " +
                           format_number(grid.replay.cost, 4) + " instead of " + format_number(grid.plan.cost, 4) +
                           ", and the plan made on Eq. 2 costs " + format_number(full->plan.cost, 4) +
                           ". This difference is the reduction's, not the grid's.");
  if (const PlannerResult* inertial = result.find("grid_inertial"))
    report.notes.push_back(arm + "with inertia on the grid the plan, replayed on Eq. 2, costs " +
                           format_number(inertial->replay.cost, 4) + " instead of " +
                           format_number(inertial->plan.cost, 4) + "; " + to_text(inertial->plan.polished->log.size()) +
                           " rollouts correct it to " + format_number(inertial->plan.polished->cost, 5) + ".");
  if (result.obstacles)
    report.notes.push_back(arm + "with obstacles the beam clears them by " +
                           format_number(1e3 * result.obstacles->clearance) + " mm as planned, replayed on Eq. 2 by " +
                           format_number(1e3 * result.obstacles->clearance_replayed) + " mm, and by " +
                           format_number(1e3 * result.obstacles->clearance_polished) +
                           " mm once the plan is corrected, in " +
                           format_number(result.obstacles->planner.plan.polished->seconds) + " s.");
}

template <int SpaceDim>
void add_polished_checks(studies::Report& report, const ArmResult<SpaceDim>& result, const PlannerResult& planner,
                         const std::string& who, bool pinned) {
  if (!planner.polished) return;
  if (planner.key == "obstacles") {
    report.checks.push_back({who + "corrected, the beam clears the obstacles on Eq. 2 (" +
                                 format_number(1e3 * result.obstacles->clearance_polished) + " mm)",
                             result.obstacles->clearance_polished >= 0});
    return;
  }
  report.checks.push_back({who + "finished on Eq. 2, the spot is off by at most " + format_number(1e3 * polished_spot) +
                               " mm there (" + format_number(1e3 * planner.polished->largest_error) + ")",
                           planner.polished->largest_error <= polished_spot, pinned});
  const PlannerResult* full = result.find("eq2");
  if (!full || !full->plan.finished) return;
  const double apart = planner.polished->cost / full->plan.cost - 1;
  report.checks.push_back({who + "finished on Eq. 2, it costs what the plan made there costs, to 1 % (" +
                               format_number(100 * apart) + " %)",
                           apart <= polished_agreement, pinned});
  if (!planner.grid) return;
  if (planner.grid->choice.inertial) {
    const double as_planned = planner.replay.cost / full->plan.cost - 1;
    report.checks.push_back({who + "uncorrected it costs on Eq. 2 what the plan made there costs, to 2 % (" +
                                 format_number(100 * as_planned) + " %)",
                             as_planned <= inertial_agreement, pinned});
    report.checks.push_back({who + "corrected by rollouts of Eq. 2, to 0.05 % (" + format_number(100 * apart) + " %)",
                             apart <= corrected_agreement, pinned});
  }
  const double faster = seconds_to_truth(result, *full) / seconds_to_truth(result, planner);
  report.checks.push_back({who + "to 1 % of the optimum on Eq. 2 at least 3 times faster than on Eq. 2 alone (" +
                               format_number(faster) + " times)",
                           faster >= 3, false});
}

/// Of a run that its budget did not cut.
PlanFigures figures_of(const PlannerResult* planner) {
  if (!planner || !planner->plan.finished) return {};
  return {.evaluations = planner->evaluations,
          .cost = planner->plan.cost,
          .spot = 1e3 * planner->replay.largest_error,
          .finished = planner->plan.polished ? planner->plan.polished->cost : not_measured};
}

/// Of the arm in space, which README shows. Times vary with what else runs: benchmarks/papers/table1 takes them in
/// turns.
void add_readme_checks(studies::Report& report, const ArmResult<3>& result) {
  const PlanFigures on_eq8 = figures_of(result.find("eq8")), on_eq2 = figures_of(result.find("eq2"));
  for (const PlannerResult& planner : result.planners) {
    if (!planner.grid) continue;
    const auto checks =
        check_readme_counts("space, " + planner.name + ": ", planner.key, figures_of(&planner), on_eq8, on_eq2);
    report.checks.insert(report.checks.end(), checks.begin(), checks.end());
  }
}

template <int SpaceDim>
void add_checks(studies::Report& report, const ArmResult<SpaceDim>& result, bool pinned) {
  const std::string arm = arm_name<SpaceDim>() + ", ";
  const PlannerResult* exact = result.find("eq8");
  std::vector<const PlannerResult*> all;
  for (const PlannerResult& planner : result.planners) all.push_back(&planner);
  if (result.obstacles) all.push_back(&result.obstacles->planner);
  for (const PlannerResult* planner : all) {
    const std::string who = arm + planner->name + ": ";
    if (planner->extrapolated.empty())
      report.checks.push_back({who + "the planner converged (" + planner->plan.stop + ")", planner->plan.finished});
    report.checks.push_back(
        {who + "all " + to_text(result.arm.setup.steps) + " steps replayed on Eq. 2", planner->replay.complete});
    add_polished_checks(report, result, *planner, who, pinned);
    if (!planner->grid) continue;
    const double error = planner->grid->errors.state;
    report.checks.push_back(
        {who + "error of a step on the grid " + format_number(error) + " <= " + format_number(promised_error),
         error <= promised_error, pinned});
    const StepErrors& errors = planner->grid->errors;
    report.checks.push_back(
        {who + "of the plan's states " + format_number(100 * errors.share_verified) + " % are verified; errors of f " +
             format_number(errors.shape) + " m, as verified " + format_number(errors.shape_verified) + " m",
         std::abs(errors.shape_verified - errors.shape) <= 0.05 * errors.shape && errors.share_verified == 1, pinned});
    if (exact && exact->plan.finished && planner->key != "obstacles" && !planner->grid->choice.inertial) {
      const double apart = std::abs(planner->plan.cost / exact->plan.cost - 1);
      report.checks.push_back(
          {who + "cost within " + format_number(cost_agreement) + " of exact Eq. 8's (" + format_number(apart) + ")",
           apart <= cost_agreement, pinned});
    }
  }
  const Eigen::MatrixXd& alphas = result.grid().plan.points;
  const double span = (alphas.rowwise().maxCoeff() - alphas.rowwise().minCoeff()).minCoeff();
  report.checks.push_back(
      {arm + "every alpha spans at least 1 (least: " + format_number(span) + ")", span >= 1, pinned});
}

std::string tables(const figures::JsonResults& rows) {
  return table_of_plans(rows, {{"arm"}, {"planner"}},
                        {{"cost", "cost", 6},
                         {"cost_replayed", "cost on Eq. 2", 4},
                         {"spot_error_max_mm", "spot max [mm]"},
                         {"cost_polished", "finished on Eq. 2", 4},
                         {"polished_spot_error_max_mm", "spot max [mm]"},
                         {"polish_seconds", "in [s]", 2},
                         {"faster_than_eq2", "to 1 %, faster than Eq. 2", 2}}) +
         "\nEvaluations are equilibria of the whole mesh; on Eq. 2, full steps (derivatives not counted). 'fewer' and "
         "'faster' compare with\nexact Eq. 8, the same planner without the grid. The spot's errors are those of the "
         "plan, and of that finished by a Gauss-Newton step\non Eq. 2 or, with inertia, by rollouts of it, as they run "
         "on Eq. 2. 'to 1 %' compares whole "
         "times to a "
         "cost within 1 % of the best on Eq. 2.\n\n" +
         rows.with("relative_error").markdown() +
         "\nErrors of one step, the worst of some along the plan, against the exact step; steps with derivatives.\n";
}

template <int SpaceDim>
void add(studies::Report& report, const ArmResult<SpaceDim>& result, bool pinned) {
  for (const PlannerResult& planner : result.planners) add_plan(report, result, planner);
  if (result.obstacles) add_plan(report, result, result.obstacles->planner);
  add_notes(report, result);
  add_checks(report, result, pinned);
}

}  // namespace

studies::Report report_on(const std::optional<ArmResult<2>>& plane, const std::optional<ArmResult<3>>& space,
                          bool pinned) {
  studies::Report report;
  if (plane) add(report, *plane, pinned);
  if (space) add(report, *space, pinned);
  if (space && pinned) add_readme_checks(report, *space);
  report.tables = tables(report.rows);
  return report;
}

}  // namespace studies::laser
