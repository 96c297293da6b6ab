// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/report.hpp"

#include "examples/studies/figures/csv.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace studies::branches {
namespace {

using figures::format_number;

constexpr double off = 0.01;  // of the jump: an answer further from every equilibrium is not an equilibrium

constexpr Trust interpolated(const Case& grid) { return grid.tolerance_mode ? Trust::estimated : Trust::unchecked; }

double worst_interpolated(const Case& grid, double Query::*what) {
  return std::max(grid.worst(Trust::unchecked, what), grid.worst(Trust::estimated, what));
}

void check(studies::Report& report, const std::string& claim, bool holds) { report.checks.push_back({claim, holds}); }

}  // namespace

void add(studies::Report& report, const Result& result) {
  const Setup& setup = result.setup;
  for (const Case& grid : result.cases) {
    report.rows.add(
        figures::ResultRow()
            .set("example", "snap_through")
            .set("body", setup.name)
            .set("N", static_cast<long>(setup.observable.size()))
            .set("dim", 2)
            .set("grid", grid.name)
            .set("queries", static_cast<long>(grid.queries.size()))
            .set("evaluations", grid.evaluations)
            .set("calls_at_queries", grid.calls)
            .set("interpolated_percent", 100 * (grid.share(Trust::unchecked) + grid.share(Trust::estimated)))
            .set("nearest_branch_percent", 100 * grid.share(Trust::nearest_branch))
            .set("discontinuous_percent", 100 * grid.share(Trust::discontinuous))
            .set("exact_percent", 100 * grid.share(Trust::exact))
            .set("median_error", grid.median_error(interpolated(grid)))
            .set("worst_interpolated", worst_interpolated(grid, &Query::error))
            .set("worst_discontinuous", grid.worst(Trust::discontinuous, &Query::error))
            .set("worst_nearest", grid.worst(Trust::nearest_branch, &Query::error))
            .set("nearest_off_equilibrium", grid.worst(Trust::nearest_branch, &Query::off_equilibrium))
            .set("wrong_branch_percent", 100 * grid.share_wrong(off))
            .set("over_estimate_percent", 100 * grid.share_over_estimate())
            .set("no_equilibrium_percent", 100 * grid.share_off(off))
            .set("jump", result.jump)
            .set("f_ms", 1e3 * result.seconds_per_evaluation));
    const std::string who = setup.name + ", " + grid.name + ": ";
    if (!grid.labels) {
      const double worst =
          std::max(worst_interpolated(grid, &Query::error), grid.worst(Trust::discontinuous, &Query::error));
      check(report, who + "the worst answer is off by more than 30 % of the jump (" + format_number(worst) + ")",
            worst > 0.3);
      if (!grid.tolerance_mode) continue;
      const double estimated = grid.worst(Trust::estimated, &Query::error);
      check(report, who + "no estimated answer is off by more than 1 % of the jump (" + format_number(estimated) + ")",
            estimated < off);
      continue;
    }
    const double worst = worst_interpolated(grid, &Query::error);
    check(report, who + "no interpolated answer is off by more than 1 % of the jump (" + format_number(worst) + ")",
          worst < off);
    check(report, who + "every answer is an equilibrium to 1 % of the jump", grid.share_off(off) == 0);
    if (grid.share(Trust::nearest_branch) > 0)
      check(report, who + "fewer than a tenth of the answers come from the nearest corner",
            grid.share(Trust::nearest_branch) < 0.1);
  }
  report.notes.push_back(setup.name + ": errors in units of the jump, " + format_number(result.jump) +
                         " m root mean square over the outputs at (" + format_number(result.jump_point[0]) + ", " +
                         format_number(result.jump_point[1]) + "); an evaluation of f, both starts, takes " +
                         format_number(1e3 * result.seconds_per_evaluation) + " ms.");
}

void add(studies::Report& report, const History& history) {
  const Setup& setup = history.setup;
  report.rows.add(figures::ResultRow()
                      .set("example", "snap_through")
                      .set("body", setup.name)
                      .set("grid", "following the nearest corner")
                      .set("snap_up_exact", history.body_up.snap)
                      .set("snap_up_grid", history.grid_up.snap)
                      .set("snap_down_exact", history.body_down.snap)
                      .set("snap_down_grid", history.fresh_down.snap)
                      .set("evaluations", history.evaluations_up)
                      .set("evaluations_on_the_way_back", history.evaluations_back)
                      .set("evaluations_fresh_grid", history.evaluations_down)
                      .set("differing_percent", 100 * history.differing)
                      .set("repeated_to", history.repeated_to));
  report.notes.push_back(setup.name + " that follows its loads: it snaps at " + format_number(history.body_up.snap, 4) +
                         " and back at " + format_number(history.body_down.snap, 4) +
                         "; a grid asked on the way up at " + format_number(history.grid_up.snap, 4) +
                         ", a fresh one on the way down at " + format_number(history.fresh_down.snap, 4) +
                         ". They answer from different branches at " + format_number(100 * history.differing) +
                         " % of the points, and agree to " + format_number(history.repeated_to) + " at the " +
                         to_text(history.same_branch) + " of " + to_text(history.shared_corners) +
                         " common corners where their branches do.");
  // The edge of a cell of the level: a grid knows the body at corners only.
  const double cell = std::ldexp(setup.spacing[setup.jump_axis], -setup.level);
  check(report, setup.name + ": grids that follow snap within a cell of where the body does",
        std::abs(history.grid_up.snap - history.body_up.snap) <= cell &&
            std::abs(history.fresh_down.snap - history.body_down.snap) <= cell);
  check(report, setup.name + ": a grid asked again answers the same, to the bit, without calling f",
        history.largest_change_on_way_back == 0 && history.evaluations_back == 0);
}

std::string tables(const figures::JsonResults& rows) {
  std::string text = rows.with("jump").markdown({{"body"},
                                                 {"grid"},
                                                 {"evaluations"},
                                                 {"calls_at_queries", "of them at queries"},
                                                 {"interpolated_percent", "interpolated [%]"},
                                                 {"nearest_branch_percent", "nearest branch [%]"},
                                                 {"discontinuous_percent", "discontinuous [%]"},
                                                 {"exact_percent", "exact [%]"},
                                                 {"median_error", "median error", 2},
                                                 {"worst_interpolated", "worst interpolated", 2},
                                                 {"wrong_branch_percent", "other branch [%]", 2},
                                                 {"nearest_off_equilibrium", "off equilibrium", 2},
                                                 {"over_estimate_percent", "over estimate [%]", 2},
                                                 {"no_equilibrium_percent", "no equilibrium [%]", 2}});
  text +=
      "\nErrors are in units of the jump. Of the answers: 'other branch', an equilibrium, but not that of least "
      "energy; "
      "'over estimate', with\nan error above what the answer says; 'no equilibrium', further than 1 % of the jump from "
      "every equilibrium. 'off equilibrium': the\nworst of those from the nearest branch.\n";
  return text;
}

void write_csv(const Result& result, const figures::OutputFolder& out) {
  const Setup& setup = result.setup;
  std::vector<std::string> header = {"x0", "x1", "branch_" + setup.branches[0].name,
                                     "branch_" + setup.branches[1].name};
  for (const Case& grid : result.cases)
    for (const char* what : {"observed", "error", "off_equilibrium", "trust"}) header.push_back(grid.key + "_" + what);
  figures::CsvWriter line(out / (setup.key + "_line.csv"), header);
  for (Eigen::Index i = 0; i < result.line.size(); ++i) {
    const Point<2> x = on_row(setup, result.line[i], setup.line_at);
    std::vector<double> row = {x[0], x[1], result.line_observed[0][i], result.line_observed[1][i]};
    for (const Case& grid : result.cases) {
      const Query& query = grid.line[static_cast<std::size_t>(i)];
      row.insert(row.end(), {query.observed, query.error, query.off_equilibrium,
                             static_cast<double>(static_cast<int>(query.answer.trust))});
    }
    line.row(row);
  }

  header = {"x0", "x1"};
  for (const Case& grid : result.cases)
    for (const char* what : {"error", "off_equilibrium", "trust"}) header.push_back(grid.key + "_" + what);
  figures::CsvWriter queries(out / (setup.key + "_queries.csv"), header);
  for (std::size_t i = 0; i < result.cases.front().queries.size(); ++i) {
    const Point<2>& x = result.cases.front().queries[i].x;
    std::vector<double> row = {x[0], x[1]};
    for (const Case& grid : result.cases) {
      const Query& query = grid.queries[i];
      row.insert(row.end(),
                 {query.error, query.off_equilibrium, static_cast<double>(static_cast<int>(query.answer.trust))});
    }
    queries.row(row);
  }

  figures::CsvWriter curves(out / (setup.key + "_curves.csv"), {"curve", "x0", "x1"});
  for (const Point<2>& x : result.maxwell) curves.row({0.0, x[0], x[1]});
  for (int b = 0; b < 2; ++b)
    for (const Point<2>& x : result.folds[b]) curves.row({static_cast<double>(setup.branches[b].label), x[0], x[1]});
  line.close();
  queries.close();
  curves.close();
}

void write_csv(const History& history, const figures::OutputFolder& out) {
  figures::CsvWriter csv(out / (history.setup.key + "_history.csv"),
                         {"up", "body_up", "grid_up", "down", "body_down", "grid_back", "fresh_down"});
  for (std::size_t i = 0; i < history.body_up.at.size(); ++i)
    csv.row({history.body_up.at[i], history.body_up.observed[i], history.grid_up.observed[i], history.body_down.at[i],
             history.body_down.observed[i], history.grid_back.observed[i], history.fresh_down.observed[i]});
  csv.close();
}

}  // namespace studies::branches
