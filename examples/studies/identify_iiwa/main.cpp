// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/study_command_line.hpp"

using namespace studies;
using namespace studies::iiwa;

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyChoice& study = options.study;
  bool newtons = false;
  StudyCommandLine line(
      "identify_iiwa",
      "A 7-joint arm (KUKA iiwa 7) learns its inverse dynamics from sines: inertias in five forms, two of them always "
      "physical, beside an MLP and a Deep Lagrangian Network; then a controller follows sines and reaches for points "
      "with what was learned (Sutanto et al. 2020, Tables 1 and 2, Fig. 1), and adapts to payloads while it moves. "
      "Draws pictures.",
      "Under half a minute: few seeds and draws, no networks", options);
  line.add("--seed", study.seed, "Of the first draw; the others follow");
  line.add_with_quick("--seeds", study.seeds, 1, "Of first numbers and goals, where robots move").between(1, 1000);
  line.add_with_quick("--network-seeds", study.network_seeds, 0, "Of these for networks").between(0, 1000);
  line.add_with_quick("--draws", study.draws, 12, "Of first numbers of each form, where epochs are counted")
      .between(1, 100000);
  line.add_with_quick("--payloads", options.payloads, 1, "That are picked up").between(1, 1000);
  line.add("--seconds", options.seconds, "Of the recorded motion, at 250 Hz").between(10.0, 3600.0);
  line.add_with_quick("--epochs", study.learning.epochs, 4, "At most so many").between(1, 100000);
  line.add("--network-epochs", study.networks.epochs, "The same for networks").between(1, 100000);
  line.add("--feedback", options.feedback, "Natural frequency of the joints' feedback, rad/s").between(1.0, 500.0);
  line.add("--frequencies", options.frequencies, "The same, one after the other, in feedback")
      .between(1.0, 500.0)
      .comma_separated();
  line.add_flag("--newtons", newtons,
                "Losses in N m, as the paper's Eq. 2 is printed, instead of every joint's over its variance");
  line.add_with_quick("--parts", options.parts, {"epochs", "simulation", "payload"},
                      "Which of epochs, simulation, feedback (with simulation), online, harder, payload")
      .one_of(options.parts)
      .comma_separated();
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    study.learning.weighted = study.networks.weighted = !newtons;
    study.threads = cores();
    const ArmResults results = run_parts(options);
    studies::Report report = report_on(results, options.as_in_paper());
    report.pictures = write_data(results, out);
    report.files = "  *.csv, *.json              the numbers of tables and pictures\n";
    return report;
  });
}
