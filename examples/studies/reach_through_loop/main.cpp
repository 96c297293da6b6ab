// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "examples/studies/reach_through_loop/report.hpp"

namespace {

using namespace studies;

struct Options : CommonOptions {
  loop::StudyChoice study;

  /// Whether the study is large enough for the claims that the program checks.
  bool whole() const { return !quick && study.poses >= 50 && study.tuning_poses >= 20; }
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  loop::StudyChoice& study = options.study;
  StudyCommandLine line(
      "reach_through_loop",
      "A KUKA iiwa 7 reaches with a rod into a hollow box that stands anywhere: approximate inference control with the "
      "writhe and the interaction mesh of rod and rim, beside collision avoidance, both over the same number of "
      "settings; then the box moves and the plan is remapped, frame by frame (Zarubin et al. 2012, sections V-B and "
      "IV). Draws pictures.",
      "Half a minute: fewer poses, every fifth setting", options);
  line.add_with_quick("--poses", study.poses, 10, "Of the box, to report").between(1, 1000);
  line.add_with_quick("--tuning-poses", study.tuning_poses, 5, "Others, to choose settings on").between(1, 1000);
  line.add("--seed", study.seed, "Of the poses");
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    if (options.quick) study.every = 5;
    study.threads = cores();
    const loop::StudyResults results = loop::run_study(options.study);
    studies::Report report = loop::report_on(results, options.whole());
    report.files = loop::draw(results, out);
    return report;
  });
}
