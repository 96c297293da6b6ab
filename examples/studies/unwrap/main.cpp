// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/unwrap/report.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

using namespace studies;
using namespace studies::unwrap;

int main(int argc, char** argv) {
  CommonOptions options;
  StudyChoice study;
  StudyCommandLine line(
      "unwrap",
      "A rope arm of 29 joints, wound around a pole, unwinds and grasps a rod: planned by hierarchical approximate "
      "inference in writhe and joint space, beside RRT and RRT-Connect (Zarubin et al. 2012, section V-A, Figs. 5 to "
      "7). Draws pictures.",
      "Under half a minute: few scenes, small trees", options);
  line.add("--windings", study.windings, "Turns, such as 0.5,1,1.5").between(0.0, 2.6).comma_separated();
  line.add_with_quick("--scenes", study.scenes, 3, "Of each winding").between(1, 10000);
  line.add("--first-seed", study.first_seed, "The others follow");
  line.add_with_quick("--variants", study.variant_scenes, 1,
                      "In so many scenes of each winding AICO is also tried with parts left out")
      .between(0, 10000);
  line.add_with_quick("--max-checks", study.trees.max_checks, 20000, "Configurations a tree may look at")
      .between(1, 1e9);
  line.add("--range", study.trees.range, "How far trees grow at once, rad").between(1e-3, 100.0);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    study.variant_scenes = std::min(study.variant_scenes, study.scenes);
    std::set<std::pair<double, std::uint64_t>> seen;
    figures::Progress progress(std::cerr, "scenes", static_cast<long>(study.windings.size()) * study.scenes);
    const StudyResults results = run_study(study, [&](const Trial& trial) {
      seen.insert({trial.winding, trial.seed});
      progress.update(static_cast<long>(seen.size()) - 1, trial.planner + (trial.success ? "" : " failed"));
    });
    progress.finish();
    studies::Report report = report_on(results, study);
    report.files = draw(results, study, out);
    return report;
  });
}
