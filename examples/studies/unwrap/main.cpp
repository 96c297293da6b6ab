// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/unwrap/report.hpp"

#include <algorithm>
#include <iostream>

using namespace studies;
using namespace studies::unwrap;

int main(int argc, char** argv) {
  CommonOptions options;
  StudyChoice study;
  StudyCommandLine line(
      "unwrap",
      "A rope arm of 29 joints, wound around a pole, unwinds and grasps a rod: planned by hierarchical approximate "
      "inference in writhe and joint space, beside inverse kinematics, RRT and RRT-Connect (Zarubin et al. 2012, "
      "section V-A, Figs. 5 to 7). Draws pictures.",
      "A quarter of a minute: few scenes of two windings, small trees", options);
  line.add_with_quick("--windings", study.windings, {1, 2.5}, "Turns, such as 0.5,1,1.5")
      .between(0.0, 2.6)
      .comma_separated();
  line.add_with_quick("--scenes", study.scenes, 7, "Of each winding").between(1, 10000);
  line.add("--seed", study.seed, "Of the first scene; the others follow");
  line.add_with_quick("--variants", study.variant_scenes, 1,
                      "In so many scenes of each winding AICO is also tried with parts left out")
      .between(0, 10000);
  line.add("--precision", study.inference.writhe, "rho of the writhe in the coupling of both levels")
      .between(1e-6, 1e9);
  line.add("--precisions", study.precisions, "Others to compare, on other scenes").between(1e-6, 1e9).comma_separated();
  line.add_with_quick("--sweep", study.sweep_scenes, 0, "Scenes of each winding to compare precisions on")
      .between(0, 10000);
  line.add("--sweep-seed", study.sweep_seed, "Of the first of these; the others follow");
  line.add_with_quick("--max-checks", study.trees.max_checks, 20000, "Configurations a tree may look at")
      .between(1, 1e9);
  line.add("--range", study.trees.range, "How far trees grow at once, rad").between(1e-3, 100.0);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    study.variant_scenes = std::min(study.variant_scenes, study.scenes);
    const std::size_t swept = study.precisions.size() * static_cast<std::size_t>(study.sweep_scenes);
    figures::Progress progress(
        std::cerr, "scenes",
        static_cast<long>(study.windings.size() * (swept + static_cast<std::size_t>(study.scenes))));
    long scenes = 0;
    const StudyResults results = run_study(study, [&](const Trial& trial) {
      if (trial.planner == planner::aico) ++scenes;
      progress.update(scenes - 1, trial.planner + (trial.success ? "" : " failed"));
    });
    progress.finish();
    studies::Report report = report_on(results, study);
    write_data(results, out);
    report.files = "- trials.json and others: what the further pictures show\n";
    report.pictures = "- unwrap_planners.svg: checks, success, cost by the winding, and by what is blocked (Fig. 7)\n";
    if (!results.sweep.empty())
      report.pictures += "- unwrap_precision.svg: success and cost by the precision of the writhe\n";
    if (results.shown) {
      report.files = draw(*results.shown, study, out) + report.files;
      report.pictures += "- unwrap_writhe.svg: the arm's writhe, of pairs and over time (Figs. 5 and 6)\n";
    }
    return report;
  });
}
