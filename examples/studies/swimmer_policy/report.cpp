// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_policy/report.hpp"

#include "examples/studies/figures/progress.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace studies::stroke {
namespace {

using figures::format_number;

// Jia, Pan, Manocha 2019, Table 1
constexpr double promised_error = 5e-5;
constexpr long promised_corners = 1973;
constexpr double promised_speed_up = 1590;
constexpr double share_of_plan = 0.5;      // of the planned stroke's displacement per cycle, mean over seeds
constexpr double most_seconds = 300;       // of learning, without the time in f
constexpr double most_per_iteration = 1;   // s
constexpr double replay_agreement = 0.01;  // relative difference of displacement on the grid and on boundary elements

double seconds_beside_function(const LearnedPolicy& learned, double cores) {
  return learned.seconds - learned.seconds_in_function / cores;
}

void add_swim(studies::Report& report, const std::string& who, const Swim& swim, figures::ResultRow row) {
  row.set("controller", who)
      .set("distance_m", swim.distance)
      .set("per_cycle_m", swim.gait.per_cycle)
      .set("period_s", swim.gait.period)
      .set("largest_angle_rad", swim.states.topRows(joints).cwiseAbs().maxCoeff())
      .set("largest_torque_Nm", swim.torques.size() > 0 ? swim.torques.cwiseAbs().maxCoeff() : 0.0)
      .set("failed", swim.failed);
  report.rows.add(std::move(row));
}

void add_seed(studies::Report& report, const PolicyResult& result, const SeedResult& seed) {
  const LearnedPolicy& learned = seed.learned;
  figures::ResultRow row;
  row.set("seed", static_cast<long>(seed.seed))
      .set("iterations", learned.learner.iterations)
      .set("stop", learned.stop)
      .set("evaluations", learned.evaluations)
      .set("seconds", learned.seconds)
      .set("seconds_in_function", learned.seconds_in_function)
      .set("corners", static_cast<long>(seed.statistics.corners))
      .set("distance_20_s_m", seed.longer.distance)
      .set("failed_20_s", seed.longer.failed);
  if (!learned.log.empty()) row.set("mean_return", learned.log.back().ppo.mean_return);
  if (&seed == &result.middle())
    row.set("distance_on_exact_m", result.on_exact.distance)
        .set("relative_error", result.errors.state)
        .set("mean_relative_error", result.errors.mean_state)
        .set("change_relative_error", result.errors.change)
        .set("integration_error", result.errors.integration)
        .set("exact_samples", result.errors.samples)
        .set("step_exact_ms", 1e3 * result.errors.seconds_exact)
        .set("step_grid_us", 1e6 * result.errors.seconds_surrogate)
        .set("iteration_seconds", result.cost.iteration_seconds())
        .set("acting_seconds", result.cost.acting_seconds)
        .set("updating_seconds", result.cost.updating_seconds)
        .set("exact_iteration_seconds_extrapolated", result.cost.exact_iteration_seconds())
        .set("speed_up", result.cost.speed_up())
        .set("speed_up_with_corners", result.cost.speed_up_with_corners());
  add_swim(report, "seed " + to_text(seed.seed), seed.swim, std::move(row));
}

void add_notes(studies::Report& report, const PolicyResult& result, bool learned) {
  const PolicyErrors& errors = result.errors;
  const std::string middle = "seed " + to_text(result.middle().seed);
  report.notes.push_back("errors of g~, " + to_text(errors.samples) + " steps drawn from the rollouts of " + middle +
                         ": worst " + format_number(errors.state) + ", mean " + format_number(errors.mean_state) +
                         ", worst of the change " + format_number(errors.change) + "; the time step itself errs by " +
                         format_number(errors.integration) + " (RK4; the midpoint rule by " +
                         format_number(errors.midpoint_integration) + ").");
  report.notes.push_back(middle + " on boundary elements: " + format_number(result.on_exact.distance, 6) +
                         " m, on the grid " + format_number(result.middle().swim.distance, 6) + " m.");
  if (!learned) return;
  report.notes.push_back("an iteration without new corners takes " + format_number(result.cost.iteration_seconds()) +
                         " s (medians): " + format_number(result.cost.acting_seconds) + " s to act, " +
                         format_number(result.cost.updating_seconds) + " s to learn.");
  report.notes.push_back("an exact step takes " + format_number(1e3 * errors.seconds_exact) +
                         " ms with all cores at work on steps of their own, so that an iteration of 16384 would take " +
                         figures::format_seconds(result.cost.exact_iteration_seconds()) + " (extrapolated from " +
                         to_text(errors.samples) + " steps): " + format_number(result.cost.speed_up()) +
                         " times longer, " + format_number(result.cost.speed_up_with_corners()) +
                         " times with all of " + middle + "'s corners counted.");
}

void add_checks(studies::Report& report, const PolicyResult& result, bool learned, bool pinned) {
  double mean_per_cycle = 0;
  long most_corners = 0;
  double most_beside = 0;
  studies::Rate swims;
  for (const SeedResult& seed : result.seeds) {
    const std::string who = "seed " + to_text(seed.seed) + ": ";
    report.checks.push_back({who + "learning came to its end (" + seed.learned.stop + ")", seed.learned.finished});
    swims.count(!seed.longer.failed && seed.longer.distance > 0 && seed.swim.distance > 0);
    mean_per_cycle += seed.swim.gait.per_cycle / static_cast<double>(result.seeds.size());
    most_corners = std::max(most_corners, static_cast<long>(seed.statistics.corners));
    most_beside = std::max(most_beside, seconds_beside_function(seed.learned, result.cores));
  }
  report.checks.push_back(at_least("a learner swims forward, and goes on for 20 s", swims, 0.5));
  const double share = mean_per_cycle / result.planned.gait.per_cycle;
  report.checks.push_back({"a cycle goes, on average over seeds, at least " + format_number(share_of_plan) +
                               " times as far as one of the planned stroke: " + format_number(share),
                           share >= share_of_plan, pinned});
  report.checks.push_back({"relative error of g~ at most 5e-5, the paper's: " + format_number(result.errors.state),
                           result.errors.state <= promised_error, pinned});
  const double apart = std::abs(result.on_exact.distance / result.middle().swim.distance - 1);
  report.checks.push_back(
      {"on boundary elements the policy swims as far as on the grid, to a relative 0.01: " + format_number(apart),
       !result.on_exact.failed && apart <= replay_agreement, pinned});
  if (!learned) return;
  report.checks.push_back(
      {"at most 1973 corners, the paper's: " + to_text(most_corners), most_corners <= promised_corners, pinned});
  report.checks.push_back(
      {"at least 1590 times faster an iteration, the paper's: " + format_number(result.cost.speed_up()),
       result.cost.speed_up() >= promised_speed_up, false});
  report.checks.push_back({"an iteration takes at most 1 s: " + format_number(result.cost.iteration_seconds()),
                           result.cost.iteration_seconds() <= most_per_iteration, false});
  report.checks.push_back({"learning takes at most 5 min beside the time in f: " + figures::format_seconds(most_beside),
                           most_beside <= most_seconds, false});
}

std::string tables(const figures::JsonResults& rows) {
  return rows.markdown({{"controller"},
                        {"iterations"},
                        {"evaluations"},
                        {"seconds", "wall [s]"},
                        {"distance_m", "in 4 s [m]", 4},
                        {"per_cycle_m", "a cycle [m]", 3},
                        {"period_s", "period [s]", 3},
                        {"distance_20_s_m", "in 20 s [m]", 4},
                        {"largest_angle_rad", "largest angle [rad]"},
                        {"largest_torque_Nm", "largest torque [N m]"},
                        {"mean_return", "return"}}) +
         "\nForward, of the centre of mass, under the mean of each policy from the start of the planned stroke.\n";
}

}  // namespace

studies::Report report_on(const PolicyResult& result, bool learned, bool pinned) {
  studies::Report report;
  add_swim(report, "planned stroke", result.planned, {});
  for (const SeedResult& seed : result.seeds) add_seed(report, result, seed);
  if (result.searched_swim)
    add_swim(report, "cross-entropy", *result.searched_swim,
             figures::ResultRow()
                 .set("iterations", static_cast<long>(result.searched->distances.size()))
                 .set("seconds", result.searched->seconds));
  add_notes(report, result, learned);
  add_checks(report, result, learned, pinned);
  report.tables = tables(report.rows);
  return report;
}

}  // namespace studies::stroke
