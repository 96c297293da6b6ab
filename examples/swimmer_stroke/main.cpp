// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/swim_pictures.hpp"
#include "examples/swimmer_stroke/pictures.hpp"
#include "examples/swimmer_stroke/program_options.hpp"
#include "examples/swimmer_stroke/report.hpp"
#include "examples/swimmer_stroke/stroke_run.hpp"
#include "quoin/io/output_folder.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <variant>

namespace {

using namespace quoin;
using namespace quoin::stroke;

/// Surface triangles that all frames of an animation may have together: about 1 MB.
constexpr Eigen::Index most_moving_triangles = 36000;

/// A coarser swimmer for the animation, unless it is one of a file.
Fish moving_fish(const StrokeResult& result, const ProgramOptions& options) {
  if (!options.link.empty()) return result.fish;
  Setup setup = result.fish.setup;
  setup.chain.mesh = std::min(options.mesh, 3);
  return Fish(setup);
}

void write_pictures(const StrokeResult& result, const ProgramOptions& options, const io::OutputFolder& out) {
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

int run(const ProgramOptions& options) {
  const io::OutputFolder out(options.out);
  if (!options.json.empty() && !std::ofstream(options.json, std::ios::app))
    throw std::runtime_error("cannot write to '" + options.json.string() + "'; choose another file with --json");

  const StrokeResult result = run_stroke(options);
  const Report report(result, options.pinned());
  write_csv(result, out);
  const bool planned = result.grid().plan.states.cols() > 1;
  if (planned) write_pictures(result, options, out);

  std::cout << "\n" << report.text() << "\nPictures and tables are in " << out.path().string() << "/:\n";
  if (planned)
    std::cout << "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
                 "  swim.pvd                   the same for ParaView\n"
                 "  joints.svg                 angles, torques and the way forward over time\n"
                 "  evaluations.svg            exact evaluations with and without the grid\n"
                 "  path.svg                   the plan among the joint angles\n";
  std::cout << "  plan_*.csv                 torques and states of every plan\n";
  if (!options.json.empty()) report.rows().write(options.json);
  return report.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) return *status;
  try {
    return run(std::get<ProgramOptions>(parsed));
  } catch (const std::exception& error) {
    std::cerr << "swimmer_stroke: " << error.what() << "\n";
    return 1;
  }
}
