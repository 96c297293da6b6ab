// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/report.hpp"

#include "examples/studies/any_planner/random_trees.hpp"
#include "examples/studies/program/statistics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace studies::any_planner {
namespace {

using figures::format_number;
using quoin::to_text;

/// The runs of one planner on one kind of dynamics.
struct Tally {
  int runs = 0, found = 0, successes = 0;
  long evaluations = 0;
  std::vector<double> propagations = {}, seconds = {}, ways = {}, durations = {};
  double seconds_per_propagation = 0;

  Tally(const Results& results, const std::string& planner, bool on_grid, double time_step) {
    double all_seconds = 0, all_propagations = 0;
    for (const Run& run : results.runs) {
      if (run.planner != planner || run.on_grid != on_grid) continue;
      ++runs;
      evaluations += run.plan.evaluations;
      propagations.push_back(static_cast<double>(run.plan.propagations));
      seconds.push_back(run.plan.seconds);
      all_seconds += run.plan.seconds;
      all_propagations += propagations.back();
      found += run.plan.found;
      if (!run.replay) continue;
      successes += run.replay->success;
      ways.push_back(run.replay->way);
      durations.push_back(static_cast<double>(run.plan.torques.cols()) * time_step);
    }
    seconds_per_propagation = all_seconds / all_propagations;
  }
};

figures::ResultRow row_of(const Run& run, double time_step) {
  figures::ResultRow row;
  row.set("planner", run.planner).set("dynamics", run.on_grid ? "grid" : "exact").set("seed", run.seed);
  row.set("found", run.plan.found).set("evaluations", run.plan.evaluations);
  row.set("propagations", run.plan.propagations).set("seconds", run.plan.seconds).set("way_planned", run.plan.way);
  if (run.replay)
    row.set("success", run.replay->success)
        .set("way", run.replay->way)
        .set("motion_seconds", static_cast<double>(run.plan.torques.cols()) * time_step);
  return row;
}

std::string of(int part, int all) { return to_text(part) + " of " + to_text(all); }

}  // namespace

studies::Report report_on(const Results& results, const StudyChoice& choice) {
  studies::Report report;
  const double time_step = stroke::Setup{}.time_step;
  for (const Run& run : results.runs) report.rows.add(row_of(run, time_step));

  figures::JsonResults table;
  long on_grid = 0;
  std::vector<Check> successes;
  for (const std::string& planner : choice.planners) {
    const Tally grid(results, planner, true, time_step), exact(results, planner, false, time_step);
    if (grid.runs == 0) continue;
    on_grid += grid.evaluations;
    for (const bool through_grid : {true, false}) {
      const Tally& tally = through_grid ? grid : exact;
      if (tally.runs == 0) continue;
      figures::ResultRow row;
      row.show("planner", planner).show("dynamics", through_grid ? "grid" : "exact");
      row.show("evaluations", tally.evaluations, "evaluations of f, all runs");
      row.show("propagations", static_cast<long>(std::lround(median(tally.propagations))), "propagations of a run");
      row.show("seconds", median(tally.seconds), "seconds of a run");
      row.show("microseconds", 1e6 * tally.seconds_per_propagation, "us per propagation");
      row.show("found", of(tally.found, tally.runs), "plans found");
      row.show("success", of(tally.successes, tally.runs), "succeed on exact dynamics");
      if (tally.found > 0) {
        row.show("way", median(tally.ways), "way there [m]");
        row.show("duration", median(tally.durations), "motion [s]");
      }
      if (!through_grid)
        row.show("whole", "~ " + format_number(median(grid.propagations) * exact.seconds_per_propagation, 2),
                 "seconds for as many propagations as through the grid");
      table.add(std::move(row));
    }
    // The best run of a stable sparse tree is not its first plan: what it finds within a budget is no claim.
    successes.push_back(at_least(planner + " through the grid swims the way on exact dynamics",
                                 {.successes = grid.successes, .draws = grid.runs}, 0.6));
    successes.back().binding = planner != "sst";
  }

  double furthest = 0;
  for (const Run& run : results.runs)
    if (run.on_grid && run.replay) furthest = std::max(furthest, std::abs(run.replay->way - run.plan.way));
  report.show_table(
      "The swimmer's centre of mass is to come " + format_number(choice.goal) +
          " m ahead, from rest. One grid of spacing 0.3, which all runs fill in this order; evaluations are those that "
          "a row adds. Medians of runs; a plan's way and duration are of plans found. On exact dynamics a run ends "
          "after " +
          format_number(choice.exact_seconds) + " s if it has found nothing by then.",
      table,
      {{"planner"},
       {"dynamics"},
       {"evaluations", "evaluations of f, all runs"},
       {"propagations", "propagations of a run"},
       {"seconds", "seconds of a run"},
       {"microseconds", "us per propagation"},
       {"found", "plans found"},
       {"success", "succeed on exact dynamics"},
       {"way", "way there [m]"},
       {"duration", "motion [s]"},
       {"whole", "seconds for as many propagations as through the grid"}});
  if (!can_grow_trees()) report.notes.push_back("Without OMPL (Debian: libompl-dev) there are no trees.");
  report.checks = successes;
  report.checks.push_back(
      {"plans found through the grid end within 2 mm of their way when replayed on exact dynamics; "
       "furthest: " +
           format_number(1e3 * furthest) + " mm",
       furthest <= 0.002, false});
  report.checks.push_back({"all runs through the grid together evaluate f at most once for each of its " +
                               to_text(results.corners) + " corners: " + to_text(on_grid),
                           on_grid <= results.corners});
  return report;
}

}  // namespace studies::any_planner
