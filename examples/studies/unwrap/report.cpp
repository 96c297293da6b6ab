// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/report.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace studies::unwrap {
namespace {

using figures::format_number;

std::vector<Trial> successes(std::vector<Trial> trials) {
  std::erase_if(trials, [](const Trial& trial) { return !trial.success; });
  return trials;
}

figures::ResultRow row_of(const Trial& trial) {
  return figures::ResultRow()
      .set("planner", trial.planner)
      .set("winding", trial.winding)
      .set("seed", static_cast<std::int64_t>(trial.seed))
      .set("line_blocked", trial.blocked)
      .set("success", trial.success)
      .set("checks", static_cast<std::int64_t>(trial.checks))
      .set("iterations", trial.iterations)
      .set("seconds", trial.seconds)
      .set("control_cost", trial.cost)
      .set("clearance", trial.clearance)
      .set("offset", trial.offset);
}

figures::ResultRow summary(const std::string& name, const std::vector<Trial>& trials) {
  const std::vector<Trial> solved = successes(trials);
  figures::ResultRow row;
  row.set("planner", name)
      .set("scenes", static_cast<std::int64_t>(trials.size()))
      .set("success", format_number(100 * success_share(trials)) + " %")
      .set("checks", median_of(trials, &Trial::checks))
      .set("seconds", median_of(trials, &Trial::seconds))
      .set("cost", median_of(solved, &Trial::cost))
      .set("clearance", 1e3 * median_of(solved, &Trial::clearance));
  if (median_of(trials, &Trial::iterations) > 0) row.set("iterations", median_of(trials, &Trial::iterations));
  return row;
}

const std::vector<figures::MarkdownColumn> summary_columns = {
    {"planner"},
    {"scenes"},
    {"success"},
    {"checks", "checks, median"},
    {"iterations", "iterations of AICO, median"},
    {"seconds", "s, median", 2},
    {"cost", "control cost, median where solved", 2},
    {"clearance", "least distance on the way [mm], median", 2},
};

/// Median of the ratio of a planner's control cost to AICO's, over the scenes that both solved.
double cost_ratio(const StudyResults& results, const std::vector<Trial>& trials) {
  const std::vector<Trial> inferred = successes(trials_of(results, planner::aico));
  std::vector<double> ratios;
  for (const Trial& trial : successes(trials)) {
    const auto same = std::ranges::find_if(
        inferred, [&](const Trial& other) { return other.winding == trial.winding && other.seed == trial.seed; });
    if (same != inferred.end()) ratios.push_back(trial.cost / same->cost);
  }
  return studies::median(ratios);
}

std::string planners_table(const StudyResults& results, const StudyChoice& choice) {
  figures::JsonResults table;
  for (const double winding : choice.windings)
    for (const char* name : {planner::aico, planner::rrt, planner::connect, planner::shortened}) {
      const std::vector<Trial> trials = trials_of(results, name, winding);
      if (trials.empty()) continue;
      figures::ResultRow row = summary(name, trials);
      row.set("winding", winding)
          .set("blocked", 100 * median_of(trials, &Trial::blocked))
          .set("ratio", cost_ratio(results, trials));
      table.add(row);
    }
  std::vector<figures::MarkdownColumn> columns = summary_columns;
  columns.insert(columns.begin(), {{"winding", "turns"}, {"blocked", "straight line blocked [%], median", 2}});
  columns.push_back({"ratio", "cost over AICO's, median of scenes", 2});
  return table.markdown(columns);
}

std::string blocked_table(const StudyResults& results) {
  figures::JsonResults table;
  constexpr double some = 1e-9;
  for (const double from : {0.0, some, 0.25, 0.5}) {
    const double to = from == 0 ? some : from == some ? 0.25 : from == 0.25 ? 0.5 : 1.01;
    for (const char* name : {planner::aico, planner::rrt, planner::connect}) {
      std::vector<Trial> trials = trials_of(results, name);
      std::erase_if(trials, [&](const Trial& trial) { return trial.blocked < from || trial.blocked >= to; });
      if (trials.empty()) continue;
      table.add(summary(name, trials)
                    .set("blocked", from == 0 ? "nothing"
                                              : format_number(std::round(100 * from)) + " to " +
                                                    format_number(std::round(100 * std::min(to, 1.0))) + " %"));
    }
  }
  return table.markdown({{"blocked", "of the straight line blocked"},
                         {"planner"},
                         {"scenes"},
                         {"success"},
                         {"checks", "checks, median"},
                         {"seconds", "s, median"}});
}

std::string variants_table(const StudyResults& results, const StudyChoice& choice) {
  figures::JsonResults table;
  for (const char* name : {planner::aico, planner::line, planner::one_stage, planner::no_relinearization,
                           planner::as_wound, planner::no_writhe_line, planner::no_writhe_rest}) {
    std::vector<Trial> trials = trials_of(results, name);
    std::erase_if(trials, [&](const Trial& trial) {
      return trial.seed >= choice.first_seed + static_cast<std::uint64_t>(choice.variant_scenes);
    });
    if (!trials.empty()) table.add(summary(name, trials));
  }
  return table.markdown(summary_columns);
}

void add_checks(studies::Report& report, const StudyResults& results, const StudyChoice& choice) {
  for (const double winding : choice.windings) {
    const std::vector<Trial> solved = successes(trials_of(results, planner::aico, winding));
    const auto cheap =
        std::ranges::count_if(solved, [](const Trial& trial) { return trial.checks < 1000 && trial.iterations <= 10; });
    const int wanted = (choice.scenes + 1) / 2;
    report.checks.push_back({format_number(winding) +
                                 " turns: AICO succeeds in at least half of the scenes with fewer than 1000 checks and "
                                 "at most 10 iterations: in " +
                                 to_text(cheap) + " of " + to_text(choice.scenes),
                             cheap >= wanted, true});
  }
  const std::vector<Trial> all = trials_of(results, planner::aico);
  report.checks.push_back(
      {"AICO succeeds in at least 95 % of the scenes: " + format_number(100 * success_share(all)) + " %",
       success_share(all) >= 0.95, choice.scenes >= 20});
  for (const std::string name : {planner::no_writhe_rest, planner::no_writhe_line}) {
    std::vector<Trial> off = trials_of(results, name);
    std::erase_if(off, [](const Trial& trial) { return trial.winding < 1; });
    if (off.empty()) continue;
    const auto solved = successes(off).size();
    report.checks.push_back(
        {"From one turn on, " + name + ", AICO fails: it succeeds in " + to_text(solved) + " of " + to_text(off.size()),
         solved == 0, name == planner::no_writhe_rest});
  }
  if (!can_grow_trees()) return;
  const double connect = median_of(trials_of(results, planner::connect), &Trial::checks);
  const double aico = median_of(all, &Trial::checks);
  report.checks.push_back(
      {"AICO needs fewer checks than RRT-Connect: " + format_number(aico) + " against " + format_number(connect),
       aico < connect, false});
  for (const double winding : choice.windings) {
    if (winding < 1.5) continue;
    const double share = success_share(trials_of(results, planner::rrt, winding));
    report.checks.push_back({format_number(winding) + " turns: RRT fails, as the paper's: it succeeds in " +
                                 format_number(100 * share) + " %",
                             share == 0, false});
  }
}

}  // namespace

std::vector<Trial> trials_of(const StudyResults& results, const std::string& planner, double winding) {
  std::vector<Trial> trials = results.trials;
  std::erase_if(trials, [&](const Trial& trial) {
    return trial.planner != planner || (winding >= 0 && trial.winding != winding);
  });
  return trials;
}

double success_share(const std::vector<Trial>& trials) {
  return static_cast<double>(std::ranges::count_if(trials, &Trial::success)) / static_cast<double>(trials.size());
}

studies::Report report_on(const StudyResults& results, const StudyChoice& choice) {
  studies::Report report;
  for (const Trial& trial : results.trials) report.rows.add(row_of(trial));
  report.tables = "### Planners, by winding\n\n" + planners_table(results, choice) +
                  "\n### Planners, by how much of the straight line in joint space is blocked\n\n" +
                  blocked_table(results);
  if (choice.variant_scenes > 0)
    report.tables += "\n### AICO with parts left out, on " + to_text(choice.variant_scenes) +
                     " scenes of each winding\n\n" + variants_table(results, choice);
  report.notes.push_back(
      "A check is one configuration looked at, whatever its pairs; AICO's include those of the end state, and its "
      "first stage looks at the end alone. Trees are given the end state, which cost AICO's checks, not theirs.");
  report.notes.push_back(
      "Control cost: 1/2 sum u^T H u of 5 s; a tree's path is run at the speeds of the smoothest line of its length, "
      "in 51 instants.");
  if (results.impossible_ends > 0)
    report.notes.push_back(
        "End states that collide or leave a limit, where no tree was sent: " + to_text(results.impossible_ends) + ".");
  if (!can_grow_trees())
    report.notes.push_back("Trees are left out: quoin was built without OMPL (Debian: libompl-dev).");
  add_checks(report, results, choice);
  return report;
}

}  // namespace studies::unwrap
