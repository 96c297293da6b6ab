// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/program_options.hpp"

#include "examples/studies/program/example_program.hpp"
#include "examples/studies/program/number_option.hpp"
#include "quoin/core/parse_number.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace studies::laser {
namespace {

/// NAME=PA.
std::pair<std::string, double> modulus(const std::string& text) {
  const std::size_t equals = text.find('=');
  double value = 0;
  if (equals == 0 || equals == std::string::npos || !parse_number(text.substr(equals + 1), value) ||
      !std::isfinite(value) || !(value > 0))
    throw CLI::ValidationError("--young", "'" + text + "' is not NAME=PASCAL, such as soft=5e5");
  return {text.substr(0, equals), value};
}

}  // namespace

std::variant<ProgramOptions, int> parse_options(int argc, char** argv) {
  ProgramOptions options;
  CLI::App app(
      "A laser at the tip of a soft arm cuts a circle: planned through the on-demand grid, on exact Eq. 8 and on the "
      "full dynamics (Eq. 2) of Jia, Pan, Manocha 2019. Prints what the grid saved and what it cost; draws pictures.",
      "soft_arm_laser");
  std::string dimension = "both";
  std::vector<std::string> young;
  bool no_obstacles = false, demo = false;
  app.add_option("--dimension", dimension, "The arm of the plane, of space, or both")
      ->check(CLI::IsMember({"2", "3", "both"}))
      ->capture_default_str();
  app.add_option("--jet-order", options.grid.jet_order,
                 "K of the first grid: 1, Jacobians; 2 or 3, derivatives up to that order")
      ->check(CLI::IsMember({1, 2, 3}))
      ->capture_default_str();
  app.add_option("--spacing", options.grid.spacing, "Of the first grid at level 0, in units of the controls")
      ->check(studies::between(0.05, 3.5))
      ->capture_default_str();
  app.add_option("--threshold", options.grid.threshold, "Refine until the spacing is below this")
      ->check(studies::between(0.01, 3.5))
      ->capture_default_str();
  app.add_option("--mesh", options.mesh, "An own arm, Gmsh 2.2 or 4.1 ASCII (docs/soft_arm_laser.md says which groups)")
      ->check(CLI::ExistingFile);
  app.add_option("--young", young, "NAME=PASCAL, modulus of an element group of the mesh; may be repeated")
      ->type_name("NAME=PASCAL");
  app.add_option("--line-force", options.line_force, "Pull of a line of the mesh at u = 1, N; default: from its sizes")
      ->check(studies::between(1e-9));
  app.add_option("--exact-seconds", options.exact_seconds,
                 "Budget of each exact planner; what is cut is extrapolated; 0: leave them out")
      ->check(studies::between(0));
  app.add_flag("--no-obstacles", no_obstacles, "Leave out the second scene");
  app.add_option("--out", options.out, "Folder for pictures and tables")->capture_default_str();
  app.add_option("--json", options.json, "Write the rows of results to this file");
  app.add_flag("--quick", options.quick, "Under a minute: exact planners get 8 s each, fewer frames");
  app.add_flag("--demo", demo, "Under three minutes: exact planners get 40 s each");
  app.callback([&] {
    if (!young.empty()) options.young.clear();
    for (const std::string& text : young) options.young.insert(modulus(text));
    if (options.mesh.empty() && (!young.empty() || options.line_force > 0))
      throw CLI::ValidationError("--young and --line-force", "describe a mesh: give one with --mesh");
    if (!options.mesh.empty() && dimension == "both")
      throw CLI::ValidationError("--mesh", "say with --dimension 2 or 3 what the mesh is of");
  });
  if (const auto status = studies::parse(app, argc, argv)) return *status;
  options.plane = dimension != "3";
  options.space = dimension != "2";
  options.obstacles = !no_obstacles;
  if (app.count("--exact-seconds") == 0) {
    if (options.quick)
      options.exact_seconds = 8;
    else if (demo)
      options.exact_seconds = 40;
  }
  return options;
}

}  // namespace studies::laser
