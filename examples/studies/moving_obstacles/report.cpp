// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_results.hpp"
#include "examples/studies/program/statistics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace studies::spheres {
namespace {

using figures::format_number;

figures::ResultRow row_of(const std::string& table, const SetResult& result, const MethodCosts& method) {
  return figures::ResultRow()
      .set("table", table)
      .set("displacement", result.set.amplitude)
      .set("method", method.name)
      .set("motions", std::ssize(method.costs))
      .set("rejected", result.rejected)
      .set("mean", method.mean())
      .set("quartile_1", method.quantile(0.25))
      .set("median", method.quantile(0.5))
      .set("quartile_3", method.quantile(0.75))
      .set("over_replanning", result.ratio(method.name))
      .set("in_collision", method.collision_share())
      .set("position", method.mean_of(&PathCost::position))
      .set("collision", method.mean_of(&PathCost::collision))
      .set("control", method.mean_of(&PathCost::control))
      .set("limits", method.mean_of(&PathCost::limits))
      .set("tip_error", method.mean_of(&PathCost::tip_error));
}

const std::vector<figures::MarkdownColumn> cost_columns = {{"method"},
                                                           {"mean", "cost, mean"},
                                                           {"quartile_1", "quartiles"},
                                                           {"quartile_3", ""},
                                                           {"over_replanning", "over re-planning"},
                                                           {"in_collision", "in collision", 2},
                                                           {"position"},
                                                           {"collision"},
                                                           {"control"},
                                                           {"tip_error", "tip's error [m]", 2}};

/// A table with one row for each result, one column of numbers for each method.
std::string wide(studies::Report& report, const std::string& table, const std::string& title,
                 const std::vector<std::pair<std::string, const SetResult*>>& results, bool ratios) {
  figures::JsonResults rows;
  std::vector<figures::MarkdownColumn> columns = {{"of", title}, {"rejected"}};
  for (const MethodCosts& method : results.front().second->methods) columns.push_back({method.name});
  for (const auto& [name, result] : results) {
    figures::ResultRow row = figures::ResultRow().set("table", table).set("of", name).set("rejected", result->rejected);
    for (const MethodCosts& method : result->methods)
      row.set(method.name, (ratios ? format_number(result->ratio(method.name)) : format_number(method.mean())) + " (" +
                               format_number(100 * method.collision_share(), 2) + " %)");
    rows.add(row);
    for (const MethodCosts& method : result->methods) report.rows.add(row_of(table, *result, method).set("of", name));
  }
  return rows.markdown(columns) + "\n";
}

void add_levels(studies::Report& report, const SphereResults& results) {
  std::vector<std::pair<std::string, const SetResult*>> levels, scenes;
  for (const SetResult& level : results.levels) levels.emplace_back(format_number(level.set.amplitude) + " m", &level);
  report.tables += "### Mean cost by the spheres' displacement (share of motions in collision), Fig. 9\n\n" +
                   wide(report, "levels", "displacement", levels, false);
  for (std::size_t i = 0; i < results.by_scene.size(); ++i) scenes.emplace_back(to_text(i + 1), &results.by_scene[i]);
  report.tables += "### Scene by scene at " + format_number(checked_displacement) +
                   " m: over re-planning (share in collision)\n\n" + wide(report, "scenes", "scene", scenes, true);
  figures::JsonResults parts;
  const SetResult all = pooled(results.by_scene);
  for (const MethodCosts& method : all.methods) parts.add(row_of("parts", all, method));
  report.show_table("### What it consists of at " + format_number(checked_displacement) + " m", parts, cost_columns);
}

void add_sweep(studies::Report& report, const std::string& table, const std::string& title, const std::string& value,
               const Sweep& sweep) {
  figures::JsonResults rows;
  for (const SweepPoint& point : sweep.points)
    rows.add(row_of(table, sweep.result, sweep.result.of(point.name))
                 .set("method", point.family)
                 .set("value", point.value)
                 .set("margin", point.margin));
  std::vector<figures::MarkdownColumn> columns = cost_columns;
  columns.insert(columns.begin() + 1, {"value", value});
  if (table == "gain") columns.insert(columns.begin() + 2, {"margin", "contact margin [m]"});
  report.add_table("### " + title, rows, columns);
}

void add_settings(studies::Report& report, const SphereResults& results) {
  std::vector<std::pair<std::string, const SetResult*>> rows;
  for (const Setting& setting : results.settings)
    rows.emplace_back(to_text(setting.spheres) + (setting.spheres == 1 ? " sphere, " : " spheres, ") +
                          to_text(setting.pieces) + " pieces",
                      &setting.result);
  report.tables += "### Other numbers and paces of spheres, at " + format_number(tuned_displacement) +
                   " m: over re-planning (share in collision)\n\n" + wide(report, "settings", "spheres", rows, true);
  figures::JsonResults pushes;
  for (const PushResult& push : results.pushes)
    pushes.add(figures::ResultRow()
                   .set("table", "pushes")
                   .show("method", push.name)
                   .show("mean", push.cost, "cost, mean")
                   .show("tip_error", push.tip_error, "tip's error at the end [m]", 2)
                   .show("in_collision", push.share, "in collision", 2));
  report.add_table("### All joints pushed by 0.1 rad after 1.5 s, spheres displaced by 0.1 m", pushes);
}

void add_times(studies::Report& report, const SphereResults& results) {
  figures::JsonResults times;
  for (const FrameTime& time : results.times)
    times.add(figures::ResultRow()
                  .set("table", "times")
                  .show("method", time.name)
                  .show("most_steps", time.iterations, "Gauss-Newton steps, at most")
                  .show("median_us", 1e6 * time.median, "median")
                  .show("late_us", 1e6 * time.late, "99 %")
                  .show("worst_us", 1e6 * time.worst, "worst"));
  report.add_table("### Time of a frame [us]: step, sight, kinematics, least squares", times);
}

/// 95 % of the ratios of mean costs that scenes drawn anew from those seen would give (bootstrap over scenes: motions
/// of one scene are alike).
RateInterval interval_of_ratio(const std::vector<SetResult>& scenes, const std::string& name, const std::string& over) {
  std::mt19937_64 random(1);
  std::vector<double> ratios;
  for (int round = 0; round < 4000; ++round) {
    double sum = 0, base = 0;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      const SetResult& scene = scenes[random() % scenes.size()];
      sum += scene.of(name).mean();
      base += scene.of(over).mean();
    }
    ratios.push_back(sum / base);
  }
  return {.least = quantile(ratios, 0.025), .most = quantile(ratios, 0.975)};
}

/// The claim that the mean cost is at most `bound` times that of the other method; open while the interval has it.
Check at_most_times(const SphereResults& results, const std::string& claim, const std::string& name,
                    const std::string& over, double bound, bool binding) {
  const SetResult all = pooled(results.by_scene);
  const RateInterval possible = interval_of_ratio(results.by_scene, name, over);
  return {.claim = claim + " at " + format_number(checked_displacement) + " m: at most " + format_number(bound) +
                   " times; seen " + format_number(all.of(name).mean() / all.of(over).mean()) + " (" +
                   format_number(possible.least) + " to " + format_number(possible.most) + ", " +
                   to_text(results.by_scene.size()) + " scenes)",
          .holds = possible.most <= bound,
          .binding = binding,
          .open = possible.most > bound && possible.least <= bound};
}

void add_checks(studies::Report& report, const SphereResults& results) {
  for (const FrameTime& time : results.times)
    if (time.name == remapped)
      report.checks.push_back({"remapping takes at most 50 us a frame (median): " + format_number(1e6 * time.median),
                               time.median <= 50e-6, true});
  report.checks.push_back(
      at_most_times(results, "remapping costs as re-planning does, wanted", remapped, replanning, 1.35, false));
  report.checks.push_back(
      at_most_times(results, "so does the mesh alone, wanted", mesh_alone, replanning, 1.35, false));
  report.checks.push_back(
      at_most_times(results, "remapping costs as re-planning does, within", remapped, replanning, 2.5, true));
  report.checks.push_back(
      at_most_times(results, "remapping costs less than the plan, blindly,", remapped, blind, 0.85, true));
  Rate better;
  for (const SetResult& scene : results.by_scene) better.count(scene.of(remapped).mean() < scene.of(plain_ik).mean());
  report.checks.push_back(at_least(
      "in a scene, remapping costs less than inverse kinematics at " + format_number(checked_displacement) + " m",
      better, 0.5));
  const SetResult &still = results.levels.front(), &moved = results.levels.back();
  const auto rise = [&](const char* name) { return moved.of(name).mean() / still.of(name).mean(); };
  report.checks.push_back({"inverse kinematics' cost rises steeply, more than twice from 0 to " +
                               format_number(checked_displacement) + " m: x " + format_number(rise(plain_ik)) +
                               "; stiff and late x " + format_number(rise(stiff_ik)) + ", re-planning x " +
                               format_number(rise(replanning)),
                           rise(plain_ik) > 2, false});
}

}  // namespace

studies::Report report_on(const SphereResults& results) {
  studies::Report report;
  add_levels(report, results);
  add_sweep(report, "strength", "The strength of C, on other motions", "C [1/m²]", results.strength);
  add_sweep(report, "gain", "Inverse kinematics, on other motions", "damping [m]", results.gain);
  add_sweep(report, "steps", "Gauss-Newton steps, and choices of h, on other motions", "value", results.steps);
  add_settings(report, results);
  add_times(report, results);
  add_checks(report, results);
  if (results.passed_over > 0)
    report.notes.push_back(to_text(results.passed_over) + " seeds give no scene and are passed over.");
  report.notes.push_back(
      "Motions that lay a sphere over the goal at any frame are rejected and drawn anew; motions in which "
      "re-planning collides are kept.");
  report.notes.push_back("In collision: any pair overlaps, at ten places within every frame.");
  return report;
}

}  // namespace studies::spheres
