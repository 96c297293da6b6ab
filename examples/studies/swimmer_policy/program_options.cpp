// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_policy/program_options.hpp"

#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace studies::stroke {

bool ProgramOptions::pinned() const {
  const LearningChoice standard;
  return !quick && mesh == ProgramOptions{}.mesh && choice.grid.spacing == standard.grid.spacing &&
         choice.grid.threshold == standard.grid.threshold && choice.iterations == standard.iterations &&
         resume.empty() && replay.empty();
}

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A swimmer of four bodies on three hinges learns to swim: a feedback controller is trained by proximal policy "
      "optimization through the on-demand grid (Jia, Pan, Manocha 2019, Eq. 6 and section V), replayed on boundary "
      "elements, and compared with the planned stroke and with a search without gradients. Draws pictures.",
      "swimmer_policy");
  app.add_option("--mesh", options.mesh, "n of the ellipsoids, 10 n^2 + 2 vertices each; 6, with --quick 2, if not set")
      ->check(CLI::Range(2, 12));
  app.add_option("--spacing", options.choice.grid.spacing, "Of the grid at level 0, rad")
      ->check(studies::between(0.05, 0.75))
      ->capture_default_str();
  app.add_option("--threshold", options.choice.grid.threshold, "Refine until the spacing is below this, rad")
      ->check(studies::between(0.01, 0.75));
  app.add_option("--iterations", options.choice.iterations,
                 "Of learning, on each level of the grid; the last number serves all further levels")
      ->check(CLI::Range(1, 100000))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "So many learners; 5, with --quick 2, if not set")
      ->check(CLI::Range(1, 100));
  app.add_option("--first-seed", options.first_seed, "Of the first learner; the others follow")->capture_default_str();
  app.add_option("--exact-samples", options.exact_samples,
                 "Steps on boundary elements, drawn from the policy's rollouts; 256, with --quick 32, if not set")
      ->check(CLI::Range(1, 16384));
  app.add_option("--search-iterations", options.search_iterations,
                 "Of the cross-entropy method on the same task; 0: leave it out")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_option("--resume", options.resume, "Go on from a learner's file, to as many iterations in all")
      ->check(CLI::ExistingFile);
  app.add_option("--replay", options.replay, "Swim with a policy's or learner's file, without learning")
      ->check(CLI::ExistingFile);
  app.add_option("--out", options.out, "Folder for pictures, tables and learners")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under a minute: a coarser mesh, fewer iterations, seeds and samples");
  app.callback([&] {
    if (!options.resume.empty() && !options.replay.empty())
      throw CLI::ValidationError("--resume and --replay", "exclude each other");
    if ((!options.resume.empty() || !options.replay.empty()) && app.count("--seeds") + app.count("--first-seed") > 0)
      throw CLI::ValidationError("--seeds and --first-seed", "are of learners that begin; a file has its own");
  });
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (app.count("--threshold") == 0)
    options.choice.grid.threshold = std::max(options.choice.grid.threshold, options.choice.grid.spacing);
  if (options.quick) {
    if (app.count("--mesh") == 0) options.mesh = 2;
    if (app.count("--seeds") == 0) options.seeds = 2;
    if (app.count("--iterations") == 0) options.choice.iterations = {40};
    if (app.count("--exact-samples") == 0) options.exact_samples = 32;
    if (app.count("--search-iterations") == 0) options.search_iterations = 40;
  }
  return options;
}

}  // namespace studies::stroke
