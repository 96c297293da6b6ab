// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_stroke/program_options.hpp"

#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"

#include <CLI/CLI.hpp>

namespace studies::stroke {

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A swimmer of four bodies on three hinges learns to swim forward: its stroke planned through the on-demand grid "
      "and on exact boundary elements (Jia, Pan, Manocha 2019, section V). Prints what the grid saved and what it "
      "cost; draws pictures.",
      "swimmer_stroke");
  app.add_option("--mesh", options.mesh, "n of the ellipsoids, 10 n^2 + 2 vertices each; 6, with --quick 3, if not set")
      ->check(CLI::Range(2, 12));
  app.add_option("--exact-mesh", options.exact_mesh, "n of the ellipsoids of the exact planner")
      ->check(CLI::Range(2, 12))
      ->capture_default_str();
  app.add_option("--spacing", options.grid.spacing, "Of the first grid at level 0, rad")
      ->check(studies::between(0.05, 0.75))
      ->capture_default_str();
  app.add_option("--threshold", options.grid.threshold, "Refine until the spacing is below this, rad")
      ->check(studies::between(0.01, 0.75))
      ->capture_default_str();
  app.add_option("--tolerance", options.grid.tolerance,
                 "Of the added mass, relative, in the place of levels: cells as deep as it asks for")
      ->check(studies::between(1e-9, 0.1));
  app.add_option("--link", options.link, "An own surface for all links, OBJ or STL, its length along x")
      ->check(CLI::ExistingFile);
  app.add_option("--gap", options.gap, "Between own links, m, when they are scaled to a length of 0.2 m")
      ->check(studies::between(1e-3, 0.5))
      ->capture_default_str();
  app.add_option("--exact-seconds", options.exact_seconds,
                 "Budget of the exact planner; what is cut is extrapolated; 0: leave it out; 60, with --quick 10")
      ->check(studies::between(0));
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under a minute: a coarser mesh, a shorter budget, fewer samples");
  app.callback([&] {
    if (!options.link.empty() && app.count("--mesh") + app.count("--exact-mesh") > 0)
      throw CLI::ValidationError("--mesh and --exact-mesh", "are of ellipsoids: leave them out with --link");
    if (options.link.empty() && app.count("--gap") > 0)
      throw CLI::ValidationError("--gap", "is between own links: give their surface with --link");
  });
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  if (options.quick && app.count("--mesh") == 0) options.mesh = 3;
  if (options.quick && app.count("--exact-seconds") == 0) options.exact_seconds = 10;
  return options;
}

}  // namespace studies::stroke
