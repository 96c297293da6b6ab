// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/program_options.hpp"

#include "examples/studies/program/example_program.hpp"

#include <CLI/CLI.hpp>

namespace studies::grab {

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A soft arm of four segments, driven by fluid, grabs balls where it could not rest: it is identified, its "
      "motions "
      "are planned by direct collocation, its actuators inverted, the plans run on machines that differ from the "
      "model, "
      "and learned from (Marchese, Tedrake, Rus 2015). Draws pictures.",
      "fluidic_grab");
  app.add_option("--part", options.part, "One part of the study alone")
      ->check(CLI::IsMember({"identify", "reach", "plan", "learn", "all"}))
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "Of the learning protocols; 5, with --quick 1, if not set")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "About a minute: fewer trials");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick && app.count("--seeds") == 0) options.seeds = 1;
  return options;
}

}  // namespace studies::grab
