// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "examples/studies/fluidic_brace/brace_study.hpp"
#include "examples/studies/program/study_command_line.hpp"

namespace {

using namespace studies;
using namespace studies::brace;

struct Options : CommonOptions {
  StudyChoice study;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  StudyChoice& study = options.study;
  StudyCommandLine line(
      "fluidic_brace",
      "A soft fluidic arm of four segments leans on a ball to reach a point beside it (Marchese, Tedrake, Rus 2015, "
      "section 6): braces are searched from the tip backwards, formed, held by friction, and the rest of the arm is "
      "planned again; beside the same reach without a brace, on plants other than the model. Draws Fig. 15.",
      "In seconds: fewer plants and starts", options);
  line.add("--seed", study.seed, "The first, of random plants and of searches; the others follow")
      .between(0, 1000000000);
  line.add_with_quick("--plants", study.plants, 5, "At random").between(1, 10000);
  line.add("--spread", study.spread, "Of the plants' masses, stiffnesses and dampings").between(0.0, 0.5);
  line.add_with_quick("--starts", study.starts, 3, "Of each search, in the first scene at least 16").between(1, 1000);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    const BraceResults results = run_study(options.study);
    studies::Report report = report_on(results);
    report.files = write_data(results, out);
    report.pictures =
        "  stages.svg                 Fig. 15: into contact, to the goal, and without a brace\n"
        "  plants.svg                 error and effort on random plants, with a brace against without\n";
    return report;
  });
}
