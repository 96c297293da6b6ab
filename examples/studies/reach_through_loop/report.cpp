// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/report.hpp"
#include "quoin/util/to_text.hpp"

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
  row.set("table", table).set("follower", to_string(score.follower)).set("amplitude", score.size.amplitude);
  row.set("turn", score.size.turn);
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

std::vector<figures::ResultRow> with_mouth(std::vector<figures::ResultRow> rows, const MouthResults& mouth) {
  for (figures::ResultRow& row : rows) row.set("mouth", mouth.side);
  return rows;
}

void add_mouth(studies::Report& report, const MouthResults& mouth) {
  const std::string where = "with a mouth of " + format_number(mouth.side) + " m";
  report.add_table("### All settings " + where + ", on " + to_text(mouth.tuning.boxes.size()) +
                       " boxes to choose by: the best one of each tolerance",
                   with_mouth(rows_by_tolerance(mouth.scores), mouth),
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
  for (const ChosenSide& chosen : mouth.chosen)
    rows.push_back(row_of("poses", chosen.tested)
                       .set("success", in_words(chosen.tested.success()))
                       .set("milliseconds", chosen.milliseconds));
  report.add_table("### The chosen ones " + where + ", on other boxes", with_mouth(std::move(rows), mouth),
                   {{"side"},
                    {"success"},
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
  std::vector<figures::ResultRow> all;
  for (const Score& score : mouth.scores) all.push_back(row_of("sweep", score));
  for (figures::ResultRow& row : with_mouth(std::move(all), mouth)) report.rows.add(std::move(row));
}

void add_moving(studies::Report& report, const StudyResults& results) {
  std::vector<figures::ResultRow> rows;
  for (const ChaseScore& score : results.chases)
    rows.push_back(row_of("moving", score).set("success", in_words(score.success())));
  report.add_table("### The box of " + format_number(results.first().side) + " m moves, frame by frame of " +
                       format_number(1e3 * frame_time) + " ms, during the plan and as long after it",
                   std::move(rows),
                   {{"amplitude", "box moves by up to [m]"},
                    {"turn", "and turns by up to [rad]"},
                    {"follower"},
                    {"metric", "C"},
                    {"success"},
                    {"free", "free of collision"},
                    {"linked", "in the loop to the end"},
                    {"there", "tip at the goal"},
                    {"tip_error", "tip's error once there [m]"},
                    {"frame_us", "us a frame", 2},
                    {"fastest", "fastest joint [rad/s]", 2}});
  for (const ChaseScore& score : results.metrics) report.rows.add(row_of("metrics", score));
}

studies::Rate in_at_most(const ChosenSide& chosen, int iterations) {
  studies::Rate rate;
  for (const Trial& trial : chosen.trials)
    rate.count(trial.verdict.success() && trial.plan.result.iterations <= iterations);
  return rate;
}

void add_checks(studies::Report& report, const StudyResults& results) {
  const auto target = [&](Check check) {
    check.binding = false;
    report.checks.push_back(std::move(check));
  };
  for (const MouthResults& mouth : results.mouths) {
    const std::string where = "a mouth of " + format_number(mouth.side) + " m: ";
    const auto of = [&](Side side) { return mouth.of(side).tested.success(); };
    report.checks.push_back(at_least(where + "writhe and mesh succeed", of(Side::topology), 0.8));
    if (mouth.side < 0.2)
      report.checks.push_back(at_most(where + "collision avoidance succeeds", of(Side::collision), 0.75));
    target(at_most(where + "the way alone, without writhe and mesh, succeeds", of(Side::way), 0.7));
    target(at_least(where + "writhe and mesh succeed in at most 6 iterations", in_at_most(mouth.of(Side::topology), 6),
                    0.5));
    target(at_most(where + "collision avoidance succeeds in at most 19 iterations",
                   in_at_most(mouth.of(Side::collision), 19), 0.5));
  }
  const auto words = [](const MotionSize& size) {
    return "boxes that move by " + format_number(size.amplitude) + " m and turn by " + format_number(size.turn) +
           " rad: ";
  };
  for (const MotionSize& size : {farthest, most_turned}) {
    report.checks.push_back(at_least(words(size) + "remapping writhe, mesh and tip succeeds",
                                     results.of(Follower::topology_tip, size).success(), 0.6));
    report.checks.push_back(
        at_most(words(size) + "the plan as it is succeeds", results.of(Follower::none, size).success(), 0.4));
    target(at_most(words(size) + "the tip alone succeeds", results.of(Follower::tip, size).success(), 0.6));
  }
  const double frame = results.of(Follower::topology_tip, farthest).frame_us;
  report.checks.push_back({"at most 50 us a frame: " + format_number(frame), frame <= 50, false});
}

std::string drawn(const DrawnBoxes& boxes) {
  return to_text(boxes.boxes.size()) + " of " + to_text(boxes.drawn) + " drawn, " + to_text(boxes.at_start) +
         " touched the arm at its start, " + to_text(boxes.unreachable) + " could not be reached into";
}

}  // namespace

studies::Report report_on(const StudyResults& results) {
  studies::Report report;
  for (const MouthResults& mouth : results.mouths) add_mouth(report, mouth);
  add_moving(report, results);
  add_checks(report, results);
  for (const MouthResults& mouth : results.mouths)
    report.notes.push_back("Boxes with a mouth of " + format_number(mouth.side) +
                           " m to report: " + drawn(mouth.poses) + ". To choose by: " + drawn(mouth.tuning) + ".");
  for (const char* note :
       {"Success: the tip within 2 cm of the goal, through the rim once, no collision on the path interpolated 20 "
        "times "
        "a step, by a checker that planning does not see, and joints beyond their limits by less than 0.02 rad.",
        "Checks are what planning asked its collision checker for. Writhe and mesh, and the way alone, have no task "
        "that "
        "asks it: their 0 is how they are made.",
        "ms and us: one plan, one motion at a time on one thread; ms are the median over the boxes, us over the frames "
        "of the first motions.",
        "Chosen: most successes, then the lowest median of iterations. All sides know the same limits and controls.",
        "'way': where the rod should go comes from the box alone; it is an advantage that collision avoidance has not, "
        "unless it says '+ way'. 'end only': the rod's place at the end and nothing before."})
    report.notes.emplace_back(note);
  return report;
}

}  // namespace studies::loop
