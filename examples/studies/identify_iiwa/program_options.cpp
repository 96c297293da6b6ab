// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/program_options.hpp"

#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <thread>

namespace studies::iiwa {

bool ProgramOptions::has(const std::string& part) const { return std::ranges::find(parts, part) != parts.end(); }

bool ProgramOptions::pinned() const {
  return !quick && study.learning.weighted && seconds == ProgramOptions{}.seconds &&
         study.learning.epochs == ProgramOptions{}.study.learning.epochs;
}

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  int most_epochs = options.study.learning.epochs;
  bool newtons = false;
  CLI::App app(
      "A 7-joint arm (KUKA iiwa 7) learns its inverse dynamics from sines: inertias in five forms, two of them always "
      "physical, beside an MLP and a Deep Lagrangian Network; then a controller follows sines and reaches for points "
      "with what was learned (Sutanto et al. 2020, Tables 1 and 2, Fig. 1), and adapts to a payload while it moves. "
      "Draws pictures.",
      "identify_iiwa");
  app.add_option("--seeds", options.study.seeds, "Of first numbers and goals; 5, with --quick 1, if not set")
      ->check(CLI::Range(1, 100));
  app.add_option("--first-seed", options.study.first_seed, "The others follow")->capture_default_str();
  app.add_option("--seconds", options.seconds, "Of the recorded motion, at 250 Hz; 240, with --quick 60, if not set")
      ->check(studies::between(10.0, 3600.0));
  app.add_option("--epochs", most_epochs, "At most so many; 150, with --quick 20, if not set")
      ->check(CLI::Range(1, 100000));
  app.add_flag("--newtons", newtons,
               "Losses in N m, as the paper's Eq. 2 is printed, instead of every joint's over its variance");
  app.add_option("--parts", options.parts, "Which of simulation, online, harder, payload; all, if not set")
      ->check(CLI::IsMember({"simulation", "online", "harder", "payload"}))
      ->delimiter(',');
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under a minute: one seed, a shorter motion, fewer epochs");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick) {
    if (app.count("--seeds") == 0) options.study.seeds = 1;
    if (app.count("--seconds") == 0) options.seconds = 60;
    if (app.count("--epochs") == 0) most_epochs = 20;
  }
  options.study.learning.epochs = options.study.networks.epochs = most_epochs;
  options.study.learning.weighted = options.study.networks.weighted = !newtons;
  options.study.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return options;
}

}  // namespace studies::iiwa
