// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan_counts.hpp"
#include "examples/studies/swimmer_stroke/pictures.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"

#include <utility>

namespace studies::stroke {

void write_plans(const StrokeResult& result, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  for (const PlannerResult& planner : result.planners) {
    write_swim(result.fish, planner.plan.controls, planner.plan.states, out / ("plan_" + planner.key + ".csv"));
    figures::ResultRow row;
    row.set("key", planner.key)
        .set("name", planner.name)
        .set("extrapolated", planner.extrapolated)
        .set("iterations_wanted", planner.iterations_wanted)
        .set("joint_limit", result.fish.setup.joint_limit);
    if (planner.grid) {
      const GridChoice& choice = planner.grid->choice;
      const bool levels = choice.tolerance <= 0;
      row.set("spacing", choice.spacing)
          .set("last_level", levels ? levels_for(choice.spacing, choice.threshold).last : 0);
    }
    PlanCounts(planner.plan).tell(row);
    rows.add(std::move(row));
  }
  rows.write(out / "plans.json");
}

}  // namespace studies::stroke
