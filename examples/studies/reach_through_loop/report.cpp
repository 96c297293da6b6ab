// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/report.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace studies::loop {
namespace {

using figures::format_number;

figures::ResultRow row_of(const std::string& table, const Score& score) {
  figures::ResultRow row;
  row.set("table", table).set("side", to_string(score.side)).set("setting", describe(score.side, score.setting));
  row.set("tolerance", score.setting.tolerance).set("boxes", score.boxes).set("successes", score.successes);
  row.set("there", score.there).set("linked", score.linked).set("free", score.free);
  row.set("within_limits", score.within_limits).set("converged", score.converged);
  row.set("median_iterations", score.median_iterations).set("mean_iterations", score.mean_iterations);
  row.set("most_iterations", score.most_iterations).set("end_iterations", score.end_iterations);
  return row.set("checks", score.checks);
}

figures::ResultRow row_of(const std::string& table, const ChaseScore& score) {
  figures::ResultRow row;
  row.set("table", table).set("follower", to_string(score.follower)).set("amplitude", score.amplitude);
  row.set("metric", score.metric).set("motions", score.motions).set("successes", score.successes);
  row.set("free", score.free).set("linked", score.linked).set("there", score.there);
  row.set("tip_error", score.tip_error).set("frame_us", score.frame_us);
  return row.set("evaluations", score.evaluations).set("fastest", score.fastest);
}

std::vector<Score> of_tolerance(const std::vector<Score>& scores, Side side, double tolerance) {
  std::vector<Score> some;
  std::ranges::copy_if(scores, std::back_inserter(some),
                       [&](const Score& score) { return score.side == side && score.setting.tolerance == tolerance; });
  return some;
}

/// The best setting of each side at each tolerance.
std::vector<figures::ResultRow> rows_by_tolerance(const std::vector<Score>& scores) {
  std::vector<figures::ResultRow> rows;
  for (const Side side : all_sides)
    for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
      const std::vector<Score> some = of_tolerance(scores, side, tolerance);
      if (some.empty()) continue;
      const int most = best(some, side).successes, least = std::ranges::min(some, {}, &Score::successes).successes;
      rows.push_back(row_of("tolerances", best(some, side)).set("settings", some.size()).set("least", least));
      rows.back().set("as_good", std::ranges::count(some, most, &Score::successes));
    }
  return rows;
}

void add_planning(studies::Report& report, const StudyResults& results) {
  report.add_table("### All settings, on " + to_text(results.tuning.boxes.size()) +
                       " boxes to choose by: the best one of each tolerance",
                   rows_by_tolerance(results.scores),
                   {{"side"},
                    {"tolerance", "", 1},
                    {"settings"},
                    {"successes", "successes of the best"},
                    {"as_good", "settings with as many"},
                    {"least", "successes of the worst"},
                    {"median_iterations", "iterations, median"},
                    {"mean_iterations", "mean"},
                    {"checks", "checks, mean"}});
  std::vector<figures::ResultRow> rows;
  for (const ChosenSide& chosen : results.chosen)
    rows.push_back(row_of("poses", chosen.tested).set("milliseconds", chosen.milliseconds));
  report.add_table("### The chosen ones, on " + to_text(results.poses.boxes.size()) + " other boxes", std::move(rows),
                   {{"side"},
                    {"successes"},
                    {"there", "tip at the goal"},
                    {"linked", "through the rim"},
                    {"free", "free of collision"},
                    {"median_iterations", "iterations, median"},
                    {"mean_iterations", "mean"},
                    {"most_iterations", "most"},
                    {"end_iterations", "of the end state, mean"},
                    {"checks", "checks, mean"},
                    {"milliseconds", "ms, median", 2},
                    {"setting"}});
  for (const Score& score : results.scores) report.rows.add(row_of("sweep", score));
}

void add_moving(studies::Report& report, const StudyResults& results) {
  std::vector<figures::ResultRow> rows;
  for (const ChaseScore& score : results.chases) rows.push_back(row_of("moving", score));
  report.add_table("### The box moves, frame by frame of " + format_number(1e3 * frame_time) +
                       " ms, during the plan and as long after it",
                   std::move(rows),
                   {{"amplitude", "box moves by up to [m]"},
                    {"follower"},
                    {"metric", "C"},
                    {"successes"},
                    {"free", "free of collision"},
                    {"linked", "in the loop to the end"},
                    {"there", "tip at the goal"},
                    {"tip_error", "tip's error once there [m]"},
                    {"frame_us", "us a frame", 2},
                    {"fastest", "fastest joint [rad/s]", 2}});
  for (const ChaseScore& score : results.metrics) report.rows.add(row_of("metrics", score));
}

std::string share(int part, int all) { return to_text(part) + " of " + to_text(all); }

void add_checks(studies::Report& report, const StudyResults& results, bool whole) {
  const Score &topology = results.of(Side::topology).tested, &collision = results.of(Side::collision).tested;
  const Score& way = results.of(Side::way).tested;
  report.checks.push_back(
      {"writhe and mesh succeed for at least 95 % of the boxes: " + share(topology.successes, topology.boxes),
       100 * topology.successes >= 95 * topology.boxes, whole});
  report.checks.push_back({"in at most 6 iterations in the median: " + format_number(topology.median_iterations),
                           topology.median_iterations <= 6, false});
  report.checks.push_back(
      {"collision avoidance needs more in the median: " + format_number(collision.median_iterations),
       collision.median_iterations > topology.median_iterations, false});
  report.checks.push_back({"and more in the mean: " + format_number(collision.mean_iterations) + " against " +
                               format_number(topology.mean_iterations),
                           collision.mean_iterations > topology.mean_iterations, false});
  const std::vector<Score> slow = of_tolerance(results.scores, Side::collision, 1e-3),
                           fast = of_tolerance(results.scores, Side::topology, 1e-3);
  const Score &slower = best(slow, Side::collision), &faster = best(fast, Side::topology);
  report.checks.push_back({"to a tolerance of 1e-3, on the boxes to choose by, it needs more in the median: " +
                               format_number(slower.median_iterations) + " against " +
                               format_number(faster.median_iterations),
                           slower.median_iterations > faster.median_iterations, false});
  report.checks.push_back(
      {"the way alone, without writhe and mesh, succeeds less often: " + share(way.successes, way.boxes),
       way.successes < topology.successes, false});
  const ChaseScore &planned = results.of(Follower::none, largest_amplitude),
                   &tip = results.of(Follower::tip, largest_amplitude);
  const ChaseScore& remapped = results.of(Follower::topology_tip, largest_amplitude);
  report.checks.push_back({"boxes that move by " + format_number(largest_amplitude) +
                               " m: remapping collides in less than half as many motions as the plan: " +
                               to_text(remapped.motions - remapped.free) + " against " +
                               to_text(planned.motions - planned.free) + " of " + to_text(planned.motions),
                           2 * (remapped.motions - remapped.free) < planned.motions - planned.free, whole});
  report.checks.push_back({"there with writhe and mesh it succeeds more often than by the tip alone: " +
                               to_text(remapped.successes) + " against " + share(tip.successes, tip.motions),
                           remapped.successes > tip.successes, false});
  report.checks.push_back(
      {"at most 50 us a frame: " + format_number(remapped.frame_us), remapped.frame_us <= 50, false});
}

std::string drawn(const DrawnBoxes& boxes) {
  return to_text(boxes.boxes.size()) + " of " + to_text(boxes.drawn) + " drawn, " + to_text(boxes.at_start) +
         " touched the arm at its start, " + to_text(boxes.unreachable) + " could not be reached into";
}

}  // namespace

studies::Report report_on(const StudyResults& results, bool whole) {
  studies::Report report;
  add_planning(report, results);
  add_moving(report, results);
  add_checks(report, results, whole);
  report.notes = {
      "Boxes to report: " + drawn(results.poses) + ". To choose by: " + drawn(results.tuning) + ".",
      "Success: the tip within 2 cm of the goal, through the rim once, no collision on the path interpolated 20 times "
      "a step, by a checker that planning does not see, and joints beyond their limits by less than 0.02 rad.",
      "Checks are what planning asked its collision checker for. Writhe and mesh, and the way alone, have no task that "
      "asks it: their 0 is how they are made.",
      "ms and us: one plan, one motion at a time on one thread; ms are the median over the boxes, us over the frames "
      "of " +
          to_text(timed_motions) + " motions.",
      "Chosen: most successes, then the lowest median of iterations. All sides know the same limits and controls.",
      "'way': where the rod should go comes from the box alone; it is an advantage that collision avoidance has not, "
      "unless it says '+ way'. 'end only': the rod's place at the end and nothing before."};
  return report;
}

}  // namespace studies::loop
