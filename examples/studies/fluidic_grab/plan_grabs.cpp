// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/grab_plan.hpp"
#include "examples/studies/fluidic_grab/parts.hpp"
#include "examples/studies/fluidic_grab/points.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/rate.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace studies::grab {
namespace {

using figures::format_number;
using planning::CollocationScheme;

/// One row of Table 2: a goal, an effort weight, a way of planning, several starts.
struct Trials {
  Goal goal;
  std::string way;
  double effort;
  GrabTask task;
  std::vector<GrabPlan> plans;

  bool solved(const GrabPlan& grab) const { return grab.plan.converged(); }
  int solved() const {
    return static_cast<int>(std::ranges::count_if(plans, [&](const GrabPlan& p) { return solved(p); }));
  }
  /// The best plan of those solved, by the larger of its shares of both tolerances; null if there is none.
  const GrabPlan* best() const {
    const GrabPlan* best = nullptr;
    const auto merit = [](const GrabPlan& p) { return std::max(p.miss / 0.01, p.speed / 0.02); };
    for (const GrabPlan& grab : plans)
      if (solved(grab) && (best == nullptr || merit(grab) < merit(*best))) best = &grab;
    return best;
  }
  double seconds() const {
    double most = 0;
    for (const GrabPlan& grab : plans) most = std::max(most, grab.seconds);
    return most;
  }
};

struct Way {
  std::string name;
  TorqueForm torques;
  CollocationScheme scheme;
  int intervals;
  double speed_weight = 1;
  std::vector<double> efforts = {0.1, 0.01};  ///< R
};

const std::vector<Way> ways = {
    {"Hermite-Simpson, torque rates, 30 ms", TorqueForm::rates, CollocationScheme::hermite_simpson, 50},
    {"minimal effort alone", TorqueForm::rates, CollocationScheme::hermite_simpson, 50, 0, {0.1}},
    {"minimal speed alone", TorqueForm::rates, CollocationScheme::hermite_simpson, 50, 1, {1e-3}},
    {"trapezoid, torque rates, 30 ms", TorqueForm::rates, CollocationScheme::trapezoid, 50},
    {"Hermite-Simpson, free torques, 30 ms", TorqueForm::free, CollocationScheme::hermite_simpson, 50},
    {"explicit Euler, free torques, 79 ms (as printed)", TorqueForm::free, CollocationScheme::euler, 19}};

/// The integral of tau^T tau, N^2 m^2 s.
double effort_of(const GrabTask& task, const GrabPlan& grab) {
  constexpr int steps = 300;
  double sum = 0;
  for (int k = 0; k < steps; ++k)
    sum += torques(task, grab.plan, task.duration * (k + 0.5) / steps).squaredNorm() * task.duration / steps;
  return sum;
}

figures::ResultRow row_of(const Trials& trials) {
  figures::ResultRow row = figures::ResultRow()
                               .set("table", "2")
                               .set("way", trials.way)
                               .set("goal", std::string(1, trials.goal.name))
                               .set("R", trials.effort)
                               .set("solved", trials.solved())
                               .set("starts", std::ssize(trials.plans))
                               .set("longest_s", trials.seconds());
  std::vector<double> misses, speeds;
  for (const GrabPlan& grab : trials.plans)
    if (trials.solved(grab)) {
      misses.push_back(100 * grab.miss);
      speeds.push_back(100 * grab.speed);
    }
  if (const GrabPlan* best = trials.best()) {
    row.set("miss_cm", 100 * best->miss).set("speed_cm_s", 100 * best->speed);
    row.set("effort", effort_of(trials.task, *best));
    row.set("worst_miss_cm", *std::ranges::max_element(misses));
    row.set("worst_speed_cm_s", *std::ranges::max_element(speeds));
  }
  return row.set("misses_cm", misses).set("speeds_cm_s", speeds);
}

/// Writes what Figs. 8 and 9 show: grab_plans.csv, the plans over time, and grabs.json, shapes of the arm on its way.
void write_data(const std::vector<Trials>& main_way, const figures::OutputFolder& out) {
  const fluidic_arm::FluidicArm arm(table1_arm());
  std::vector<Points> shapes;
  figures::CsvWriter csv(out / "grab_plans.csv",
                         {"goal", "t", "theta1", "theta2", "theta3", "theta4", "tau2", "tau3", "tau4", "x", "z"});
  for (const Trials& trials : main_way) {
    const GrabPlan* best = trials.best();
    if (best == nullptr) continue;
    const double T = trials.task.duration;
    const std::string name(1, trials.goal.name);
    shapes.push_back({.kind = "goal", .name = name, .at = trials.goal.at});
    for (int k = 0; k <= 6; ++k)
      shapes.push_back({.kind = "shape",
                        .name = name,
                        .at = arm.shape(arm_state(trials.task, best->plan, T * k / 6).head(4), 12),
                        .time = T * k / 6});
    for (int k = 0; k <= 300; ++k) {
      const double t = T * k / 300;
      const Eigen::VectorXd now = torques(trials.task, best->plan, t), x = arm_state(trials.task, best->plan, t);
      const Eigen::Vector2d tip = arm.tip(x.head(4));
      csv.row({static_cast<double>(trials.goal.name - 'A'), t, x[0], x[1], x[2], x[3], now[0], now[1], now[2], tip.x(),
               tip.y()});
    }
  }
  csv.close();
  write_points(out / "grabs.json", shapes);
}

}  // namespace

void plan_grabs(studies::Report& report, const ProgramOptions& options, const figures::OutputFolder& out) {
  const fluidic_arm::FluidicArm arm(table1_arm());
  std::vector<Trials> all;
  for (const Way& way : ways) {
    if (options.quick && way.name != ways[0].name) continue;
    for (const double effort : options.quick ? std::vector{way.efforts[0]} : way.efforts)
      for (const Goal& goal : goals)
        all.push_back({goal,
                       way.name,
                       effort,
                       GrabTask{.goal = goal.at,
                                .limits = torque_limits,
                                .intervals = way.intervals,
                                .effort = effort,
                                .speed_weight = way.speed_weight,
                                .torques = way.torques,
                                .scheme = way.scheme},
                       {}});
  }
  // Seven starts, as in the paper, for the main way, fewer for the others.
  const auto starts = [&](const Trials& trials) { return options.quick ? 1U : trials.way == ways[0].name ? 7U : 3U; };
  long total = 0, done = 0;
  for (const Trials& trials : all) total += starts(trials);
  figures::Progress progress(std::cerr, "planning grabs", total);
  for (Trials& trials : all)
    for (unsigned start = 0; start < starts(trials); ++start) {
      trials.plans.push_back(plan_grab(arm, trials.task, static_cast<unsigned>(options.seed) + start));
      progress.update(++done, trials.way + ", " + trials.goal.name);
    }
  progress.finish("");

  figures::JsonResults table;
  for (const Trials& trials : all) table.add(row_of(trials));
  report.add_table(
      "## Grabs by direct collocation (the paper's Table 2)\n\nReplayed by Runge-Kutta steps of 2 ms; miss "
      "and speed of the best start that solves, and the largest of all that do.",
      table,
      {{"way"},
       {"goal"},
       {"R"},
       {"solved"},
       {"starts"},
       {"longest_s", "longest solve [s of processor time]"},
       {"miss_cm", "miss [cm]"},
       {"speed_cm_s", "speed [cm/s]"},
       {"worst_miss_cm", "largest miss"},
       {"worst_speed_cm_s", "largest speed"}});
  Rate solved, true_to_plan;  // of all starts of the main way; of those that solve
  for (const Trials& trials : all) {
    if (trials.way != ways[0].name) continue;
    for (const GrabPlan& grab : trials.plans) {
      solved.count(trials.solved(grab));
      if (trials.solved(grab)) true_to_plan.count(grab.miss <= 0.011 && grab.speed <= 0.025);
    }
  }
  report.checks.push_back(at_least("Starts that solve", solved, 0.6));
  report.checks.push_back(
      at_least("Plans that, replayed, end within 1.1 cm and at most at 2.5 cm/s", true_to_plan, 0.6));
  std::vector<Trials> main_way;
  for (const Trials& trials : all)
    if (trials.way == ways[0].name && trials.effort == 0.1) main_way.push_back(trials);
  write_data(main_way, out);
  report.pictures +=
      "- grabs.svg: the four grabs (the paper's Fig. 8)\n"
      "- grab_torques.svg: their torques (Fig. 9)\n";
}

}  // namespace studies::grab
