// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/any_planner/report.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/study_command_line.hpp"

#include <iostream>

using namespace studies;
using namespace studies::any_planner;

int main(int argc, char** argv) {
  CommonOptions options;
  StudyChoice study;
  StudyCommandLine line("any_planner",
                        "A swimmer of four ellipsoids swims ahead: planned by model predictive path integral control "
                        "and by OMPL's RRT and SST in the space of controls, through one grid of its added mass and on "
                        "exact dynamics (boundary elements at every query).",
                        "Under half a minute: one seed, few propagations", options);
  line.add("--planners", study.planners, "Of mppi, rrt, sst").one_of({"mppi", "rrt", "sst"}).comma_separated();
  line.add("--goal", study.goal, "How far ahead, m").between(1e-3, 10.0);
  line.add("--seed", study.first_seed, "The first, the others follow; options were chosen on 1 to 5");
  line.add_with_quick("--seeds", study.seeds, 1, "Runs of each planner").between(1, 10000);
  line.add_with_quick("--propagations", study.propagations, 200000, "Time steps after which a run ends")
      .between(1, 1e9);
  line.add("--exact-seeds", study.exact_seeds, "Runs of each planner on exact dynamics").between(0, 10000);
  line.add_with_quick("--exact-seconds", study.exact_seconds, 1, "After which such a run ends").between(0.1, 1e6);
  line.add("--mesh", study.mesh, "n of the ellipsoids: 10 n^2 + 2 vertices per link").between(2, 20);
  return line.run(argc, argv, [&](const figures::OutputFolder&) {
    figures::Progress progress(
        std::cerr, "runs",
        static_cast<long>(study.planners.size()) * (study.seeds + std::min(study.exact_seeds, study.seeds)));
    long done = 0;
    const Results results = run_study(study, [&](const Run& run) {
      progress.update(++done, run.planner + (run.plan.found ? "" : " found nothing"));
    });
    progress.finish();
    return report_on(results, study);
  });
}
