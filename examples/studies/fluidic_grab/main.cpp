// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/parts.hpp"
#include "examples/studies/program/study_command_line.hpp"

using namespace studies;
using namespace studies::grab;

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyCommandLine line(
      "fluidic_grab",
      "A soft arm of four segments, driven by fluid, grabs balls where it could not rest: it is identified, its "
      "motions are planned by direct collocation, its actuators inverted, the plans run on machines that differ from "
      "the model, and learned from (Marchese, Tedrake, Rus 2015). Draws pictures.",
      "About half a minute: fewer trials", options);
  line.add("--part", options.part, "One part of the study alone").one_of({"identify", "reach", "plan", "learn", "all"});
  line.add("--seed", options.seed, "The first; the others follow").between(1, 1000000);
  line.add_with_quick("--seeds", options.seeds, 1, "Of the learning protocols").between(1, 1000);
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    studies::Report report;
    if (options.wants("identify")) identify(report, options, out);
    if (options.wants("reach")) find_reachable(report, options, out);
    if (options.wants("plan")) plan_grabs(report, options, out);
    if (options.wants("learn")) {
      find_realizable(report, options);
      learn_grabs(report, options, out);
    }
    report.files = "- *.csv, *.json: what the pictures show, in numbers\n";
    return report;
  });
}
