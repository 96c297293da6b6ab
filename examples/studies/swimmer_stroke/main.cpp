// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/swimmer_stroke/pictures.hpp"
#include "examples/studies/swimmer_stroke/report.hpp"
#include "examples/studies/swimmer_stroke/stroke_run.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"

#include <algorithm>

namespace {

using namespace studies;
using namespace studies::stroke;

/// Limit of the surface triangles in all frames of an animation together: about 1 MB.
constexpr Eigen::Index most_moving_triangles = 36000;

/// A coarser swimmer for the animation, unless its surface is from a file.
Fish moving_fish(const StrokeResult& result, const ProgramOptions& options) {
  if (!options.link.empty()) return result.fish;
  Setup setup = result.fish.setup;
  setup.chain.mesh = std::min(options.mesh, 3);
  return Fish(setup);
}

void write_pictures(const StrokeResult& result, const ProgramOptions& options, const figures::OutputFolder& out) {
  const PlannerResult& grid = result.grid();
  const Eigen::MatrixXd& states = grid.replay ? grid.replay->states : grid.plan.states;
  const GridView<joints>& water = grid.grid->solved;
  const auto frames = swim_frames(result.fish, water, states, every_so_many(options.quick ? 4 : 2, states.cols()));
  write_frames(result.fish, states, frames, out);
  draw_swim(result.fish, states, frames, out);

  const Fish fish = moving_fish(result, options);
  const Eigen::Index triangles = joints * fish.body.link(0).surface.triangles.cols();
  const Eigen::Index count = std::clamp<Eigen::Index>(most_moving_triangles / triangles, 2, 51);
  const Eigen::Index every = (states.cols() - 1 + count - 2) / (count - 1);
  draw_moving(fish, states, swim_frames(fish, water, states, every_so_many(every, states.cols())), out);
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const StrokeResult result = run_stroke(options);
  write_plans(result, out);
  const bool planned = result.grid().plan.states.cols() > 1;
  if (planned) write_pictures(result, options, out);

  studies::Report report = report_on(result, options.pinned());
  if (planned) {
    report.files +=
        "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
        "  swim.pvd                   the same for ParaView\n";
    report.pictures +=
        "  joints.svg                 angles, torques and the way forward over time\n"
        "  evaluations.svg            exact evaluations with and without the grid\n"
        "  path.svg                   the plan among the joint angles\n";
  }
  report.files += "  plan_*.csv, plans.json     torques and states of every plan, what it evaluated\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions options;
  StudyCommandLine line(
      "swimmer_stroke",
      "A swimmer of four bodies on three hinges learns to swim forward: its stroke planned through the on-demand grid "
      "and on exact boundary elements (Jia, Pan, Manocha 2019, section V). Prints what the grid saved and what it "
      "cost; draws pictures.",
      "Under a minute: a coarser mesh, a shorter budget, fewer samples", options);
  line.add_with_quick("--mesh", options.mesh, 3, "n of the ellipsoids, 10 n^2 + 2 vertices each").between(2, 12);
  line.add("--exact-mesh", options.exact_mesh, "n of the ellipsoids of the exact planner").between(2, 12);
  line.add("--spacing", options.grid.spacing, "Of the first grid at level 0, rad").between(0.05, 0.75);
  line.add("--threshold", options.grid.threshold, "Refine until the spacing is below this, rad").between(0.01, 0.75);
  line.add("--tolerance", options.grid.tolerance,
           "Of the added mass, relative, in the place of levels: cells as deep as it asks for")
      .between(1e-9, 0.1)
      .without_default();
  line.add("--link", options.link, "An own surface for all links, OBJ or STL, its length along x").existing_file();
  line.add("--gap", options.gap, "Between own links, m, when they are scaled to a length of 0.2 m").between(1e-3, 0.5);
  line.add_with_quick("--exact-seconds", options.exact_seconds, 10,
                      "Budget of the exact planner; what is cut is extrapolated; 0: leave it out")
      .at_least(0);
  line.after_parsing([&] {
    if (!options.link.empty() && line.count("--mesh") + line.count("--exact-mesh") > 0)
      throw Refusal("--mesh and --exact-mesh", "are of ellipsoids: leave them out with --link");
    if (options.link.empty() && line.count("--gap") > 0)
      throw Refusal("--gap", "is between own links: give their surface with --link");
  });
  return line.run(argc, argv, [&](const figures::OutputFolder& out) { return run(options, out); });
}
