// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/program_options.hpp"

#include "examples/studies/program/example_program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <thread>

namespace studies::loop {

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A KUKA iiwa 7 reaches with a rod into a hollow box that stands anywhere: approximate inference control with the "
      "writhe and the interaction mesh of rod and rim, beside collision avoidance, both over the same number of "
      "settings; "
      "then the box moves and the plan is remapped, frame by frame (Zarubin et al. 2012, sections V-B and IV). Draws "
      "pictures.",
      "reach_through_loop");
  app.add_option("--poses", options.study.poses, "Of the box, to report; 50, with --quick 10, if not set")
      ->check(CLI::Range(1, 1000));
  app.add_option("--tuning-poses", options.study.tuning_poses,
                 "Others, to choose settings on; 20, with --quick 5, if not set")
      ->check(CLI::Range(1, 1000));
  app.add_option("--seed", options.study.seed, "Of the poses")->capture_default_str();
  app.add_option("--out", options.out, "Folder for pictures and frames")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Half a minute: fewer poses, every fifth setting");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick) {
    if (app.count("--poses") == 0) options.study.poses = 10;
    if (app.count("--tuning-poses") == 0) options.study.tuning_poses = 5;
    options.study.every = 5;
  }
  options.study.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return options;
}

}  // namespace studies::loop
