// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/branch_report.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/snap_through/plots.hpp"
#include "quoin/util/to_text.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace studies::branches {
namespace {

using namespace figures;

void add_side(studies::Report& report, const std::string& name, const LoopSide& side) {
  report.rows.add(figures::ResultRow()
                      .set("example", "snap_through")
                      .set("body", "arch")
                      .set("grid", "on its branches, load " + name)
                      .set("snap_exact", side.exact_snap)
                      .set("snap_on_branch", side.snap)
                      .set("worst", side.worst)
                      .set("worst_near_fold", side.worst_near_fold)
                      .set("called_percent", 100 * side.called)
                      .set("corrections", side.corrections));
  report.notes.push_back("arch on its branches, load " + name + ": snaps at " + format_number(side.snap, 7) +
                         " N, exactly at " + format_number(side.exact_snap, 7) + " N; the crown is off by at most " +
                         format_number(side.worst) + " m on the way, " + format_number(side.worst_near_fold) +
                         " m in the last newton; " + format_number(100 * side.called) +
                         " % of the answers called the branch; " + to_text(side.corrections) + " corrections.");
  report.checks.push_back({"arch on its branches, load " + name + ": snaps within 1e-4 N of the arch",
                           std::abs(side.snap - side.exact_snap) < 1e-4});
  report.checks.push_back({"arch on its branches, load " + name + ": the crown is right to 0.5 mm up to the fold",
                           side.worst < 5e-4 && side.worst_near_fold < 5e-4});
}

}  // namespace

BranchResult study_branches(const ArchBranches& branches) {
  BranchResult result{.loop = follow_loop(branches, 0.25)};
  result.plan = plan_snaps(branches, result.task);
  if (result.plan.found) result.replayed = replay(branches, result.task, result.plan);
  return result;
}

void add(studies::Report& report, const BranchResult& result) {
  add_side(report, "rising", result.loop.rising);
  add_side(report, "falling", result.loop.falling);
  report.notes.push_back("arch on its branches: the same loop again took " + to_text(result.loop.again) +
                         " corrections, where a corner has ended.");
  const SnapPlan& plan = result.plan;
  const Replay& replayed = result.replayed;
  report.rows.add(figures::ResultRow()
                      .set("example", "snap_through")
                      .set("body", "arch")
                      .set("grid", "plan across the snap")
                      .set("moves", plan.moves)
                      .set("first_moves", plan.first_moves)
                      .set("corrections", plan.corrections)
                      .set("nearest_on_upper", plan.nearest_on_upper)
                      .set("miss", replayed.miss)
                      .set("returned_to", replayed.returned_to));
  report.checks.push_back({"arch, plan across its snap: found", plan.found});
  if (!plan.found) return;
  std::string knots;
  for (const Point<2>& knot : plan.knots)
    knots += " (" + format_number(knot[0], 4) + ", " + format_number(knot[1], 4) + ")";
  report.notes.push_back(
      "arch, plan across its snap: loads" + knots + " N; moves " + format_number(plan.moves, 4) + " N, first " +
      format_number(plan.first_moves, 4) + " N; " + to_text(plan.corrections) +
      " corrections. On the exact arch the crown is " + format_number(replayed.miss) + " m off its target, " +
      format_number(plan.nearest_on_upper) + " m at the nearest on the upper branch alone. It snaps after " +
      format_number(replayed.exact_snaps[0], 6) + " N of its first move and " +
      format_number(replayed.exact_snaps[1], 6) + " N of its third, on the branches after " +
      format_number(replayed.ridden_snaps[0], 6) + " and " + format_number(replayed.ridden_snaps[1], 6) + " N.");
  const SnapTask& task = result.task;
  report.checks.push_back(
      {"arch, plan across its snap: the exact arch reaches the target within 10 um", replayed.miss < 1e-5});
  bool where_planned = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const double length = (plan.knots[2 * i + 1] - plan.knots[2 * i]).norm() - task.overshoot;
    where_planned = where_planned && std::abs(replayed.exact_snaps[i] - length) < 1e-3;
  }
  report.checks.push_back(
      {"arch, plan across its snap: the exact arch snaps within 1 mN of where it is planned to", where_planned});
  report.checks.push_back(
      {"arch, plan across its snap: the exact arch comes back to its first state", replayed.returned_to < 1e-9});
}

void draw_branches(const ArchBranches& branches, const BranchResult& result, const figures::OutputFolder& out) {
  const Setup& setup = branches.setup();
  const std::array<const char*, 2> colors = {palette::blue, palette::vermilion};
  SvgPlot plot({.columns = 2, .panel_width = 500, .panel_height = 380});
  SvgPanel& loop = plot.panel({.title = "Hysteresis, quarter point " + format_number(setup.line_at) + " N",
                               .x_label = setup.axes[setup.jump_axis],
                               .y_label = setup.observable_name,
                               .y_range = std::pair(-0.125, 0.24)});
  loop.line(result.loop.rising.at, result.loop.rising.exact,
            {.color = palette::light, .label = "the arch, load rising", .width = 9});
  loop.line(result.loop.falling.at, result.loop.falling.exact,
            {.color = palette::grey, .label = "the arch, load falling", .width = 9, .opacity = 0.5});
  loop.line(result.loop.rising.at, result.loop.rising.on_grid,
            {.color = colors[0], .label = "on its branches, rising", .width = 2.4});
  loop.line(result.loop.falling.at, result.loop.falling.on_grid,
            {.color = colors[1], .label = "on its branches, falling", .width = 1.6, .dash = "6 5"});

  SvgPanel& loads = plot.panel({.title = "A plan across both folds",
                                .x_label = setup.axes[0],
                                .y_label = setup.axes[1],
                                .x_range = std::pair(setup.lower[0], setup.upper[0]),
                                .y_range = std::pair(setup.lower[1], setup.upper[1]),
                                .legend = figures::Legend::outside});
  for (int i = 0; i < 2; ++i) {
    const std::vector<Point<2>> curve = branches.fold_curve(i, 33);
    loads.line(column(curve, 0), column(curve, 1),
               {.color = colors[static_cast<std::size_t>(i)],
                .label = "'" + setup.branches[static_cast<std::size_t>(i)].name + "' ends",
                .width = 2});
  }
  const std::vector<Point<2>> knots(result.plan.knots.begin(), result.plan.knots.end());
  loads.line(column(knots, 0), column(knots, 1), {.color = palette::black, .label = "the plan", .width = 1.4});
  loads.markers({knots[2][0]}, {knots[2][1]},
                {.color = palette::black, .label = "the crown is at its target", .marker_size = 6});

  SvgPanel& shapes = plot.panel({.title = "The arch on its way there", .equal_aspect = true, .axes = false});
  const std::array<const char*, 4> names = {"at rest", "in front of the snap", "behind it", "at the target"};
  const std::array<const char*, 4> shades = {palette::light, palette::blue, palette::orange, palette::vermilion};
  for (std::size_t i = 0; i < result.replayed.shapes.size(); ++i) {
    const Eigen::VectorXd& y = result.replayed.shapes[i];
    shapes.line(Eigen::Matrix2Xd(Eigen::Map<const Eigen::Matrix2Xd>(y.data(), 2, y.size() / 2)),
                {.color = shades[i], .label = names[i], .width = 3});
  }
  shapes.markers({result.task.target[0]}, {result.task.target[1]},
                 {.color = palette::black, .label = "target of the crown", .marker = Marker::cross, .marker_size = 7});
  plot.write(out / (setup.key + "_sheets.svg"));
}

}  // namespace studies::branches
