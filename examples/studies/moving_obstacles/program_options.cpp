// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/program_options.hpp"

#include "examples/studies/program/example_program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <thread>

namespace studies::spheres {

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A 7-joint arm (KUKA iiwa 7) reaches for a point among spheres, which then move otherwise than its plan knew: "
      "planning again with complete knowledge, remapping the plan frame by frame by an interaction mesh, and inverse "
      "kinematics, at growing displacements (Zarubin et al. 2012, section V-C, Fig. 9). Draws pictures.",
      "moving_obstacles");
  app.add_option("--scenes", options.scenes, "Of different spheres; 5, with --quick 3, if not set")
      ->check(CLI::Range(1, 100));
  app.add_option("--motions", options.motions, "Of the spheres, in each scene; 50, with --quick 8, if not set")
      ->check(CLI::Range(2, 10000));
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under half a minute: fewer scenes and motions");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick) {
    if (app.count("--scenes") == 0) options.scenes = 3;
    if (app.count("--motions") == 0) options.motions = 8;
  }
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return options;
}

}  // namespace studies::spheres
