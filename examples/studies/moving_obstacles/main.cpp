// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/sphere_results.hpp"
#include "examples/studies/program/study_command_line.hpp"

using namespace studies;
using namespace studies::spheres;

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyCommandLine line(
      "moving_obstacles",
      "A 7-joint arm (KUKA iiwa 7) reaches for a point among spheres, which then move otherwise than its plan knew: "
      "planning again with complete knowledge, remapping the plan frame by frame by an interaction mesh, and inverse "
      "kinematics, at growing displacements (Zarubin et al. 2012, section V-C, Fig. 9). Draws pictures.",
      "Under half a minute: fewer scenes and motions", options);
  line.add("--seed", options.seed, "Of the first scene; the others follow");
  line.add_with_quick("--scenes", options.scenes, 6, "Of different spheres").between(1, 1000);
  line.add_with_quick("--motions", options.motions, 3, "Of the spheres, in each scene").between(2, 10000);
  line.add_with_quick("--tuning-scenes", options.tuning_scenes, 1, "On which settings are compared, always the same")
      .between(1, 100);
  line.add_with_quick("--tuning-motions", options.tuning_motions, 2, "In each of these").between(2, 10000);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    const SphereResults results = run_parts(options);
    studies::Report report = report_on(results);
    write_data(results, out);
    report.files = draw_scenes(results, out) + "  levels.csv, sweeps.json    costs and collisions of all methods\n";
    report.pictures =
        "  cost.svg                   cost and collisions against the displacement (Fig. 9)\n"
        "  sweeps.svg                 strength of C; gain and reach of inverse kinematics\n";
    return report;
  });
}
