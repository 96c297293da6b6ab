// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_grab.hpp"
#include "examples/studies/fluidic_grab/parts.hpp"
#include "examples/studies/program/statistics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <optional>

namespace studies::grab {
namespace {

/// The result of Algorithm 2 before the first run.
struct Realized {
  int plans = 0;            ///< number of plans that the solver found
  double first_miss = 0;    ///< predicted, m
  double volume_error = 0;  ///< of the first plan, mL
  bool found = false;       ///< whether there is a plan that the cylinders can realize
};

Realized realize(const GrabTask& task, unsigned start) {
  Realized made;
  RealizablePlanner planner(task, start);
  const fluidic_arm::FluidicSystem nominal = nominal_system();
  identification::iterative_learning<GrabPlan, Realization, bool>(
      nominal, {.max_runs = 1, .max_replans = max_replans, .max_miss = max_predicted_miss},
      [&](const fluidic_arm::FluidicSystem& model, const RealizablePlanner::Attempt& wanted) {
        return planner.plan(model, wanted);
      },
      [&](const fluidic_arm::FluidicSystem& model, const GrabPlan& plan) {
        const Realization policy = planner.invert(model, plan);
        if (++made.plans == 1) {
          made.first_miss = policy.predicted_distance;
          made.volume_error = policy.volume_error;
        }
        return policy;
      },
      [](const Realization&) { return std::optional(true); }, [&](bool) { return made.found = true; },
      [](const fluidic_arm::FluidicSystem&, const std::vector<bool>&) {
        return std::optional<fluidic_arm::FluidicSystem>();
      });
  return made;
}

}  // namespace

void find_realizable(studies::Report& report, const ProgramOptions& options) {
  struct Kind {
    std::string name;
    TorqueForm torques;
    double rate_effort;
  };
  std::vector<Kind> kinds = {{"rates, weight 1e-4", TorqueForm::rates, 1e-4}};
  if (!options.quick)
    kinds = {{"free torques", TorqueForm::free, 0},
             kinds[0],
             {"rates, weight 1e-3", TorqueForm::rates, 1e-3},
             {"rates, weight 1e-2", TorqueForm::rates, 1e-2}};
  const unsigned starts = options.quick ? 1 : 3;
  const std::size_t set_ups_used = options.quick ? 2 : set_ups().size();
  figures::JsonResults table;
  Rate realized, mended;  // of all plans with torque rates; of all that were refused at first
  for (const Kind& kind : kinds) {
    std::vector<double> first, errors;
    int at_once = 0, found = 0, replans = 0;
    for (std::size_t i = 0; i < set_ups_used; ++i) {
      GrabTask task = task_of(set_ups()[i]);
      task.rate_effort = kind.rate_effort;
      task.torques = kind.torques;
      for (unsigned start = 0; start < starts; ++start) {
        const Realized made = realize(task, static_cast<unsigned>(options.seed) + start);
        if (made.plans == 0) continue;
        first.push_back(100 * made.first_miss);
        errors.push_back(made.volume_error);
        at_once += made.found && made.plans == 1;
        found += made.found;
        replans += made.plans - 1;
      }
    }
    const int total = static_cast<int>(first.size());
    if (kind.torques == TorqueForm::rates) {
      realized.successes += found;
      realized.draws += total;
    }
    mended.successes += found - at_once;
    mended.draws += total - at_once;
    auto row = figures::ResultRow().set("table", "realizable").set("torques", kind.name).set("plans", total);
    if (total > 0)
      row.set("median_first_cm", median(first))
          .set("worst_first_cm", std::ranges::max(first))
          .set("median_volume_error", median(errors));
    row.set("at_once", at_once).set("found", found).set("replans", replans);
    table.add(row);
  }
  report.add_table(
      "## Plans that the cylinders cannot realize\n\nBefore anything is run: what the model of the whole "
      "system makes of the references. A plan predicted to miss by more than 1 cm, or 2 cm/s, is refused, and "
      "planned anew for a goal and a velocity shifted by that, five times at most. Nominal system, " +
          to_text(set_ups_used) + " set-ups.",
      table,
      {{"torques"},
       {"plans"},
       {"median_first_cm", "predicted miss, median [cm]"},
       {"worst_first_cm", "largest [cm]"},
       {"median_volume_error", "volume missed, median of largest [mL]"},
       {"at_once", "realizable at once"},
       {"found", "in the end"},
       {"replans", "plans anew"}});
  report.checks.push_back(at_least("Plans with torque rates that the cylinders can realize in the end", realized, 0.7));
  report.checks.push_back(at_least("Refused plans that are planned anew until they can", mended, 0.25));
}

}  // namespace studies::grab
