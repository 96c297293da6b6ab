// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/study_command_line.hpp"

using namespace studies;
using namespace studies::iiwa;

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyChoice& study = options.study;
  int most_epochs = study.learning.epochs;
  bool newtons = false;
  StudyCommandLine line(
      "identify_iiwa",
      "A 7-joint arm (KUKA iiwa 7) learns its inverse dynamics from sines: inertias in five forms, two of them always "
      "physical, beside an MLP and a Deep Lagrangian Network; then a controller follows sines and reaches for points "
      "with what was learned (Sutanto et al. 2020, Tables 1 and 2, Fig. 1), and adapts to a payload while it moves. "
      "Draws pictures.",
      "Under a minute: one seed, a shorter motion, fewer epochs", options);
  line.add_with_quick("--seeds", study.seeds, 1, "Of first numbers and goals").between(1, 100);
  line.add("--first-seed", study.first_seed, "The others follow");
  line.add_with_quick("--seconds", options.seconds, 60, "Of the recorded motion, at 250 Hz").between(10.0, 3600.0);
  line.add_with_quick("--epochs", most_epochs, 20, "At most so many").between(1, 100000);
  line.add_flag("--newtons", newtons,
                "Losses in N m, as the paper's Eq. 2 is printed, instead of every joint's over its variance");
  line.add("--parts", options.parts, "Which of simulation, online, harder, payload")
      .one_of(options.parts)
      .comma_separated();
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    study.learning.epochs = study.networks.epochs = most_epochs;
    study.learning.weighted = study.networks.weighted = !newtons;
    study.threads = cores();
    const ArmResults results = run_parts(options);
    studies::Report report = report_on(results, options.pinned());
    report.files = draw(results, out);
    return report;
  });
}
