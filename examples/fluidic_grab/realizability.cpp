// SPDX-License-Identifier: BSD-3-Clause
#include "examples/fluidic_grab/learn_grab.hpp"
#include "examples/fluidic_grab/parts.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::grab {
namespace {

/// A plan for the nominal system, planned anew for a shifted goal until the cylinders realize it.
struct Realized {
  bool planned = false;     ///< a first plan was found
  double first_miss = 0;    ///< predicted, m
  double volume_error = 0;  ///< of the first, mL
  int replans = 0;
  bool found = false;
};

Realized realize(const SetUp& set_up, GrabTask task, unsigned start) {
  const fluidic_arm::FluidicSystem model = nominal_system();
  const fluidic_arm::FluidicArm arm(model.arm);
  Realized made;
  GrabPlan plan = plan_grab(arm, task, start);
  for (; plan.plan.converged(); plan = plan_grab(arm, task, plan.plan)) {
    const Realization policy = invert_actuators(model, task, plan.plan, set_up.goal);
    made.planned = true;
    if (made.replans == 0) {
      made.first_miss = policy.predicted_miss;
      made.volume_error = policy.volume_error;
    }
    made.found = policy.predicted_miss <= 0.01;
    if (made.found || made.replans == 5 || !std::isfinite(policy.predicted_miss)) break;
    ++made.replans;
    task.goal += set_up.goal - policy.predicted_tip;
  }
  return made;
}

}  // namespace

void find_realizable(study::Report& report, const ProgramOptions& options) {
  struct Kind {
    std::string name;
    TorqueForm torques;
    double rate_effort;
  };
  const Kind kinds[] = {{"free torques", TorqueForm::free, 0},
                        {"rates, weight 1e-4", TorqueForm::rates, 1e-4},
                        {"rates, weight 1e-3", TorqueForm::rates, 1e-3},
                        {"rates, weight 1e-2", TorqueForm::rates, 1e-2}};
  const unsigned starts = options.quick ? 1 : 3;
  io::JsonResults table;
  double refused = 0, mended = 0;
  for (const Kind& kind : kinds) {
    std::vector<double> first, errors;
    int at_once = 0, found = 0, replans = 0, total = 0, starts_done = 0;
    for (std::size_t i = 0; i < (options.quick ? 2 : set_ups().size()); ++i) {
      const SetUp& set_up = set_ups()[i];
      for (unsigned start = 1; start <= starts; ++start) {
        const Realized made = realize(set_up,
                                      {.goal = set_up.goal,
                                       .limits = set_up.limits,
                                       .rate_effort = kind.rate_effort,
                                       .position_tolerance = 0.003,
                                       .torques = kind.torques},
                                      start);
        ++starts_done;
        if (!made.planned) continue;
        ++total;
        at_once += made.found && made.replans == 0;
        found += made.found;
        replans += made.found ? made.replans : 0;
        first.push_back(100 * made.first_miss);
        errors.push_back(made.volume_error);
      }
    }
    std::ranges::sort(first);
    std::ranges::sort(errors);
    refused += total - at_once;
    mended += found - at_once;
    const auto row = io::ResultRow()
                         .set("table", "realizable")
                         .set("torques", kind.name)
                         .set("starts", starts_done)
                         .set("plans", total)
                         .set("median_first_cm", first[first.size() / 2])
                         .set("worst_first_cm", first.back())
                         .set("median_volume_error", errors[errors.size() / 2])
                         .set("at_once", at_once)
                         .set("found", found)
                         .set("replans", replans);
    report.rows.add(row);
    table.add(row);
  }
  report.tables +=
      "## Plans that the cylinders cannot realize\n\nBefore anything is run: what the model of the whole "
      "system makes of the references. A plan predicted to miss by more than 1 cm is refused, and planned "
      "anew for a goal shifted by the miss, five times at most. Nominal system, four set-ups.\n\n" +
      table.markdown({{"torques"},
                      {"plans"},
                      {"median_first_cm", "predicted miss, median [cm]"},
                      {"worst_first_cm", "largest [cm]"},
                      {"median_volume_error", "volume missed, median of largest [mL]"},
                      {"at_once", "realizable at once"},
                      {"found", "in the end"},
                      {"replans", "plans anew"}}) +
      "\n";
  report.checks.push_back({"Plans that cylinders cannot realize are found before they are run (" +
                               io::format_number(refused) + ") and planned anew until they are (" +
                               io::format_number(mended) + ")",
                           refused > 0 && mended >= 0.5 * refused, options.pinned()});
}

}  // namespace quoin::grab
