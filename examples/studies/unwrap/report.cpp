// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/report.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace studies::unwrap {
namespace {

using figures::format_number;

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

std::vector<Trial> of_one_turn_and_more(std::vector<Trial> trials) {
  std::erase_if(trials, [](const Trial& trial) { return trial.winding < 1; });
  return trials;
}

bool is_cheap(const Trial& trial) { return trial.success && trial.checks < 1000 && trial.iterations <= 10; }

figures::ResultRow summary(const std::string& name, const std::vector<Trial>& trials) {
  const std::vector<Trial> solved = successes(trials);
  figures::ResultRow row;
  row.set("planner", name)
      .set("success", in_words(rate_of(trials)))
      .set("checks", median_of(trials, &Trial::checks))
      .set("seconds", median_of(trials, &Trial::seconds))
      .set("cost", median_of(solved, &Trial::cost))
      .set("clearance", 1e3 * median_of(solved, &Trial::clearance));
  if (median_of(trials, &Trial::iterations) > 0) row.set("iterations", median_of(trials, &Trial::iterations));
  return row;
}

const std::vector<figures::MarkdownColumn> summary_columns = {
    {"planner"},
    {"success"},
    {"checks", "checks, median"},
    {"iterations", "iterations of AICO, median"},
    {"seconds", "s, median", 2},
    {"cost", "control cost, median where solved", 2},
    {"clearance", "least distance on the way [mm], median", 2},
};

std::string planners_table(const StudyResults& results, const StudyChoice& choice) {
  figures::JsonResults table;
  for (const double winding : choice.windings)
    for (const char* name :
         {planner::aico, planner::inverse_kinematics, planner::rrt, planner::connect, planner::shortened}) {
      const std::vector<Trial> trials = trials_of(results.trials, name, winding);
      if (trials.empty()) continue;
      figures::ResultRow row = summary(name, trials);
      row.set("winding", winding)
          .set("blocked", 100 * median_of(trials, &Trial::blocked))
          .set("ratio", studies::median(cost_ratios(results.trials, name, winding)));
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
      std::vector<Trial> trials = trials_of(results.trials, name);
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
                         {"success"},
                         {"checks", "checks, median"},
                         {"seconds", "s, median"}});
}

std::string variants_table(const StudyResults& results, const StudyChoice& choice) {
  figures::JsonResults table;
  const auto add = [&](const char* name) {
    std::vector<Trial> trials = trials_of(results.trials, name);
    std::erase_if(trials, [&](const Trial& trial) {
      return trial.seed >= choice.seed + static_cast<std::uint64_t>(choice.variant_scenes);
    });
    const std::vector<Trial> wound = of_one_turn_and_more(trials);
    if (!trials.empty()) table.add(summary(name, trials).set("wound", in_words(rate_of(wound))));
  };
  add(planner::aico);
  for (const Variant& variant : variants) add(variant.name);
  add(planner::first_path);
  std::vector<figures::MarkdownColumn> columns = summary_columns;
  columns.insert(columns.begin() + 2, {"wound", "of one turn and more"});
  return table.markdown(columns);
}

std::string precisions_table(const StudyResults& results) {
  figures::JsonResults table;
  for (const SweptPrecision& swept : results.sweep)
    table.add(summary(planner::aico, trials_of(swept.trials, planner::aico))
                  .set("precision", swept.precision)
                  .set("rrt", studies::median(cost_ratios(swept.trials, planner::rrt)))
                  .set("connect", studies::median(cost_ratios(swept.trials, planner::connect)))
                  .set("shortened", studies::median(cost_ratios(swept.trials, planner::shortened))));
  std::vector<figures::MarkdownColumn> columns = summary_columns;
  columns[0] = {"precision", "rho of the writhe"};
  columns.push_back({"rrt", "RRT's cost over AICO's, median", 2});
  columns.push_back({"connect", "RRT-Connect's", 2});
  columns.push_back({"shortened", "simplified", 2});
  return table.markdown(columns);
}

/// In how many scenes that both solved the planner's control cost is at least so many times AICO's.
studies::Rate at_least_times(const StudyResults& results, const char* name, double times) {
  studies::Rate rate;
  for (const double ratio : cost_ratios(results.trials, name)) rate.count(ratio >= times);
  return rate;
}

void add_checks(studies::Report& report, const StudyResults& results) {
  const auto of = [&](const char* name) { return rate_of(trials_of(results.trials, name)); };
  const auto wound = [&](const char* name) { return rate_of(of_one_turn_and_more(trials_of(results.trials, name))); };
  const std::vector<Trial> all = trials_of(results.trials, planner::aico);
  studies::Rate cheap;
  for (const Trial& trial : all) cheap.count(is_cheap(trial));
  report.checks = {at_least("AICO unwinds and grasps", of(planner::aico), 0.85),
                   at_least("it does so with fewer than 1000 checks in at most 10 iterations", cheap, 0.5),
                   at_most("from one turn on it does without writhe, from rest", wound(planner::no_writhe_rest), 0.3),
                   at_most("from one turn on it does without the upper level, but with its first path",
                           wound(planner::no_level), 0.5),
                   at_most("from one turn on inverse kinematics does", wound(planner::inverse_kinematics), 0.5),
                   at_least("its first path alone costs at least three times as much",
                            at_least_times(results, planner::first_path, 3), 0.5)};
  if (!can_grow_trees()) return;
  report.checks.push_back(
      at_least("RRT's path costs at least ten times AICO's", at_least_times(results, planner::rrt, 10), 0.5));
  const auto target = [&](Check check) {
    check.binding = false;
    report.checks.push_back(std::move(check));
  };
  target(at_least("RRT's path costs at least 100 times AICO's, as in the paper",
                  at_least_times(results, planner::rrt, 100), 0.5));
  std::vector<Trial> far = trials_of(results.trials, planner::rrt);
  std::erase_if(far, [](const Trial& trial) { return trial.winding < 1.5; });
  target(at_most("from 1.5 turns on RRT succeeds, where the paper's fails", rate_of(far), 0.5));
}

}  // namespace

std::vector<Trial> trials_of(std::vector<Trial> trials, const std::string& planner, double winding) {
  std::erase_if(trials, [&](const Trial& trial) {
    return trial.planner != planner || (winding >= 0 && trial.winding != winding);
  });
  return trials;
}

std::vector<Trial> successes(std::vector<Trial> trials) {
  std::erase_if(trials, [](const Trial& trial) { return !trial.success; });
  return trials;
}

studies::Rate rate_of(const std::vector<Trial>& trials) {
  studies::Rate rate;
  for (const Trial& trial : trials) rate.count(trial.success);
  return rate;
}

std::vector<double> cost_ratios(const std::vector<Trial>& all, const std::string& planner, double winding) {
  const std::vector<Trial> inferred = successes(trials_of(all, planner::aico, winding));
  std::vector<double> ratios;
  for (const Trial& trial : successes(trials_of(all, planner, winding))) {
    const auto same = std::ranges::find_if(
        inferred, [&](const Trial& other) { return other.winding == trial.winding && other.seed == trial.seed; });
    if (same != inferred.end()) ratios.push_back(trial.cost / same->cost);
  }
  return ratios;
}

studies::Report report_on(const StudyResults& results, const StudyChoice& choice) {
  studies::Report report;
  for (const Trial& trial : results.trials) report.rows.add(row_of(trial));
  for (const SweptPrecision& swept : results.sweep)
    for (const Trial& trial : swept.trials) report.rows.add(row_of(trial).set("swept_precision", swept.precision));
  report.tables = "### Planners, by winding\n\n" + planners_table(results, choice) +
                  "\n### Planners, by how much of the straight line in joint space is blocked\n\n" +
                  blocked_table(results);
  if (choice.variant_scenes > 0)
    report.tables += "\n### AICO with parts left out, on " + to_text(choice.variant_scenes) +
                     " scenes of each winding\n\n" + variants_table(results, choice);
  if (!results.sweep.empty())
    report.tables += "\n### Precisions of the writhe, on " + to_text(choice.sweep_scenes) +
                     " other scenes of each winding\n\n" + precisions_table(results);
  report.notes.push_back(
      "A check is one configuration looked at, whatever its pairs; AICO's include those of the end state, and its "
      "first stage looks at the end alone. Trees are given the end state, which cost AICO's checks, not theirs.");
  report.notes.push_back(
      "Control cost: 1/2 sum u^T H u of 5 s; a path of trees or frames is run at the speeds of the smoothest line of "
      "its length, in 51 instants.");
  if (results.impossible_ends > 0)
    report.notes.push_back(
        "End states that collide or leave a limit, where no tree was sent: " + to_text(results.impossible_ends) + ".");
  if (!can_grow_trees())
    report.notes.push_back("Trees are left out: quoin was built without OMPL (Debian: libompl-dev).");
  add_checks(report, results);
  return report;
}

}  // namespace studies::unwrap
