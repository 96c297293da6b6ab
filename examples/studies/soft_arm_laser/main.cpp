// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/plans/plan_words.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/soft_arm_laser/demonstration.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"
#include "examples/studies/soft_arm_laser/pictures.hpp"
#include "examples/studies/soft_arm_laser/report.hpp"
#include "quoin/util/parse_number.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace studies;
using namespace studies::laser;

template <int SpaceDim>
void write_pictures(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, bool quick) {
  write_csv(result, out);
  write_frames(result, out, quick ? 4 : 2);
  draw_arm(result, out, quick ? 5 : 4);
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  std::optional<ArmResult<2>> plane;
  std::optional<ArmResult<3>> space;
  int eq2_iterations = 0;
  if (options.plane) {
    plane = run_arm<2>(options, 0);
    if (const PlannerResult* full = plane->find("eq2"); full && full->plan.finished)
      eq2_iterations = iterations(full->plan);
    write_pictures(*plane, out, options.quick);
    write_cells(*plane, out);
  }
  if (options.space) {
    space = run_arm<3>(options, eq2_iterations);
    write_pictures(*space, out, options.quick);
    if (space->obstacles) draw_obstacles(*space, out);
  }
  write_plans(plane ? &*plane : nullptr, space ? &*space : nullptr, out);

  studies::Report report = report_on(plane, space, options.pinned());
  for (const std::string d : {"2", "3"}) {
    if (d == "2" ? !plane : !space) continue;
    report.files += "  arm_" + d + "d.svg, arm_" + d + "d_moving.svg   the arm, its laser and the plate\n";
    report.files += "  arm_" + d + "d.pvd                      the same for ParaView\n";
    report.pictures += "  spot_" + d + "d.svg                     the spot's path against the circle\n";
  }
  report.pictures += "  evaluations.svg                 exact evaluations with and without the grid\n";
  if (plane) report.pictures += "  cells.svg                       visited cells and iterates of the plane arm\n";
  if (space && space->obstacles) report.files += "  obstacles.svg                   the second scene\n";
  report.files += "  *.csv, plans.json               controls, alphas and spots of every plan\n";
  if (options.demo && space) shorten(report, *space, out);
  return report;
}

/// NAME=PA.
std::pair<std::string, double> modulus(const std::string& text) {
  const std::size_t equals = text.find('=');
  double value = 0;
  if (equals == 0 || equals == std::string::npos || !parse_number(text.substr(equals + 1), value) ||
      !std::isfinite(value) || !(value > 0))
    throw Refusal("--young", "'" + text + "' is not NAME=PASCAL, such as soft=5e5");
  return {text.substr(0, equals), value};
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyCommandLine line(
      "soft_arm_laser",
      "A laser at the tip of a soft arm cuts a circle: planned through the on-demand grid, on exact Eq. 8 and on the "
      "full dynamics (Eq. 2) of Jia, Pan, Manocha 2019. Prints what the grid saved and what it cost; draws pictures.",
      "Under a minute: exact planners get 8 s each, fewer frames", options);
  std::string dimension = "both";
  std::vector<std::string> young;
  bool no_obstacles = false, demo = false;
  line.add("--dimension", dimension, "The arm of the plane, of space, or both").one_of({"2", "3", "both"});
  line.add("--jet-order", options.grid.jet_order,
           "K of the first grid: 1, Jacobians; 2 or 3, derivatives up to that order")
      .one_of({"1", "2", "3"});
  line.add("--spacing", options.grid.spacing, "Of the first grid at level 0, in units of the controls")
      .between(0.05, 3.5);
  line.add("--threshold", options.grid.threshold, "Refine until the spacing is below this").between(0.01, 3.5);
  line.add("--mesh", options.mesh,
           "An own arm, Gmsh 2.2 or 4.1 ASCII (docs/studies/soft_arm_laser.md says which groups)")
      .existing_file();
  line.add("--young", young, "NAME=PASCAL, modulus of an element group of the mesh; may be repeated")
      .shown_as("NAME=PASCAL")
      .without_default();
  line.add("--line-force", options.line_force, "Pull of a line of the mesh at u = 1, N; default: from its sizes")
      .at_least(1e-9)
      .without_default();
  line.add("--exact-seconds", options.exact_seconds,
           "Budget of each exact planner; what is cut is extrapolated; 0: leave them out")
      .at_least(0)
      .without_default();
  line.add_flag("--no-obstacles", no_obstacles, "Leave out the second scene");
  line.add_flag("--demo", demo, "The arm of space in under two minutes: exact planners get 40 s each; a short report");
  line.after_parsing([&] {
    if (!young.empty()) options.young.clear();
    for (const std::string& text : young) options.young.insert(modulus(text));
    if (options.mesh.empty() && (!young.empty() || options.line_force > 0))
      throw Refusal("--young and --line-force", "describe a mesh: give one with --mesh");
    if (!options.mesh.empty() && dimension == "both")
      throw Refusal("--mesh", "say with --dimension 2 or 3 what the mesh is of");
  });
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    options.demo = demo;
    options.plane = dimension != "3" && (!demo || line.count("--dimension") > 0);
    options.space = dimension != "2";
    options.obstacles = !no_obstacles;
    if (line.count("--exact-seconds") == 0 && (options.quick || demo)) options.exact_seconds = options.quick ? 8 : 40;
    return run(options, out);
  });
}
