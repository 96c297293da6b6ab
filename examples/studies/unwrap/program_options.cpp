// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/program_options.hpp"

#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace studies::unwrap {

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  StudyChoice& study = options.study;
  CLI::App app(
      "A rope arm of 29 joints, wound around a pole, unwinds and grasps a rod: planned by hierarchical approximate "
      "inference in writhe and joint space, beside RRT and RRT-Connect (Zarubin et al. 2012, section V-A, Figs. 5 to "
      "7). "
      "Draws pictures.",
      "unwrap");
  app.add_option("--windings", study.windings, "Turns, such as 0.5,1,1.5")
      ->check(studies::between(0.0, 2.6))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--scenes", study.scenes, "Of each winding; 20, with --quick 3, if not set")
      ->check(CLI::Range(1, 10000));
  app.add_option("--first-seed", study.first_seed, "The others follow")->capture_default_str();
  app.add_option("--variants", study.variant_scenes,
                 "In so many scenes of each winding AICO is also tried with parts left out; 5, with --quick 1")
      ->check(CLI::Range(0, 10000));
  app.add_option("--max-checks", study.trees.max_checks,
                 "Configurations a tree may look at; 100000, with --quick 20000")
      ->check(CLI::Range(1LL, 1000000000LL));
  app.add_option("--range", study.trees.range, "How far trees grow at once, rad")
      ->check(studies::between(1e-3, 100.0))
      ->capture_default_str();
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under half a minute: few scenes, small trees");
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick) {
    if (app.count("--scenes") == 0) study.scenes = 3;
    if (app.count("--variants") == 0) study.variant_scenes = 1;
    if (app.count("--max-checks") == 0) study.trees.max_checks = 20000;
  }
  study.variant_scenes = std::min(study.variant_scenes, study.scenes);
  return options;
}

}  // namespace studies::unwrap
