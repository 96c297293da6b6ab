// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "examples/studies/reach_through_loop/report.hpp"

namespace {

using namespace studies;

struct Options : CommonOptions {
  loop::StudyChoice study;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  loop::StudyChoice& study = options.study;
  StudyCommandLine line(
      "reach_through_loop",
      "A KUKA iiwa 7 reaches with a rod into a hollow box that stands anywhere: approximate inference control with the "
      "writhe and the interaction mesh of rod and rim, beside collision avoidance, both over the same number of "
      "settings, by the side of the mouth; then the box moves and turns and the plan is remapped, frame by frame "
      "(Zarubin et al. 2012, sections V-B and IV). Draws pictures.",
      "A quarter of a minute: fewer poses, every 13th setting", options);
  line.add("--mouths", study.mouths, "Sides of the box's mouth, m; it moves with the first")
      .between(0.1, 0.5)
      .comma_separated();
  line.add_with_quick("--poses", study.poses, 20, "Of the box, to report").between(1, 1000);
  line.add_with_quick("--tuning-poses", study.tuning_poses, 4, "Others, to choose settings on").between(1, 1000);
  line.add_with_quick("--motions", study.motions, 6, "Of the box, at most one to a pose").between(1, 1000);
  line.add_with_quick("--every", study.every, 13, "Every n-th setting is tried").between(1, 72);
  line.add("--seed", study.seed, "Of the poses and motions");
  line.add("--tuning-seed", study.tuning_seed, "Of those to choose settings on");
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    study.threads = cores();
    const loop::StudyResults results = loop::run_study(options.study);
    studies::Report report = loop::report_on(results);
    loop::write_data(results, out);
    loop::draw_reach(results, out);
    loop::draw_chase(results, study.seed, out);
    report.files =
        "- reach.svg: the arm at the start, before the box and in it\n"
        "- chase.svg: one of the boxes that move and turn\n"
        "- plan.pvd, chase.pvd: frames for ParaView\n"
        "- *.json, *.csv: what the further pictures show\n";
    report.pictures =
        "- writhe.svg: writhe of its segments and the rim\n"
        "- sweep.svg: success, iterations and collision checks of every setting\n"
        "- mouths.svg: success by the side of the mouth\n"
        "- moving.svg: boxes that move and turn, by how much\n";
    return report;
  });
}
