// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/branch_report.hpp"

#include "examples/studies/figures/json_results.hpp"
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

void write_sheets(const ArchBranches& branches, const BranchResult& result, const figures::OutputFolder& out) {
  const Setup& setup = branches.setup();
  figures::JsonResults rows;
  const auto add_loop_side = [&](const std::string& name, const LoopSide& side) {
    rows.add(figures::ResultRow()
                 .set("kind", "loop")
                 .set("name", name)
                 .set("at", side.at)
                 .set("exact", side.exact)
                 .set("on_grid", side.on_grid));
  };
  const auto add_points = [&](const std::string& kind, const std::string& name, const std::vector<Point<2>>& points) {
    std::vector<double> x0, x1;
    for (const Point<2>& point : points) {
      x0.push_back(point[0]);
      x1.push_back(point[1]);
    }
    rows.add(figures::ResultRow().set("kind", kind).set("name", name).set("x0", x0).set("x1", x1));
  };
  add_loop_side("rising", result.loop.rising);
  add_loop_side("falling", result.loop.falling);
  for (std::size_t i = 0; i < 2; ++i)
    add_points("fold", setup.branches[i].name, branches.fold_curve(static_cast<int>(i), 33));
  add_points("plan", "", {result.plan.knots.begin(), result.plan.knots.end()});
  const std::array<const char*, 4> names = {"at rest", "in front of the snap", "behind it", "at the target"};
  for (std::size_t i = 0; i < result.replayed.shapes.size(); ++i) {
    const Eigen::VectorXd& y = result.replayed.shapes[i];
    std::vector<Point<2>> points;
    for (Eigen::Index k = 0; k + 1 < y.size(); k += 2) points.emplace_back(y[k], y[k + 1]);
    add_points("shape", names[i], points);
  }
  add_points("target", "", {Point<2>(result.task.target[0], result.task.target[1])});
  rows.write(out / (setup.key + "_sheets.json"));
}

}  // namespace studies::branches
