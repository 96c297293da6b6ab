// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/swimmer_stroke/pictures.hpp"
#include "examples/studies/swimmer_stroke/program_options.hpp"
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
  draw_joints(result, out);
  draw_evaluations(result, out);
  draw_path(result, out);
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const StrokeResult result = run_stroke(options);
  write_csv(result, out);
  const bool planned = result.grid().plan.states.cols() > 1;
  if (planned) write_pictures(result, options, out);

  studies::Report report = report_on(result, options.pinned());
  if (planned)
    report.files +=
        "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
        "  swim.pvd                   the same for ParaView\n"
        "  joints.svg                 angles, torques and the way forward over time\n"
        "  evaluations.svg            exact evaluations with and without the grid\n"
        "  path.svg                   the plan among the joint angles\n";
  report.files += "  plan_*.csv                 torques and states of every plan\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("swimmer_stroke", parse_options(argc, argv), run); }
