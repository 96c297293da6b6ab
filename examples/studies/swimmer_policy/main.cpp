// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/swimmer_policy/pictures.hpp"
#include "examples/studies/swimmer_policy/policy_run.hpp"
#include "examples/studies/swimmer_policy/program_options.hpp"
#include "examples/studies/swimmer_policy/report.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"

namespace {

using namespace studies;
using namespace studies::stroke;

void write_pictures(const PolicyResult& result, const ProgramOptions& options, const figures::OutputFolder& out) {
  const Eigen::MatrixXd& states = result.on_exact.states;
  const GridView<joints>& water = result.middle().learned.solved;
  const auto frames = swim_frames(result.fish, water, states, every_so_many(options.quick ? 8 : 4, states.cols()));
  write_frames(result.fish, states, frames, out);
  draw_swim(result.fish, states, frames, out);
  // The animation shows a coarser swimmer, so that a frame takes a few kilobytes.
  Setup setup = result.fish.setup;
  setup.chain.mesh = 2;
  const Fish light(setup);
  draw_moving(light, states, swim_frames(light, water, states, every_so_many(4, states.cols())), out);
  draw_gait(result, out);
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const bool learned = options.replay.empty();
  const PolicyResult result = run_policies(options, out);
  write_csv(result, out);
  write_pictures(result, options, out);
  if (learned) {
    draw_returns(result, out);
    draw_evaluations(result, out);
  }
  studies::Report report = report_on(result, learned, options.pinned());
  if (learned)
    report.files +=
        "  returns.svg                what the policies swim, and their returns, while they learn\n"
        "  evaluations.svg            exact evaluations with and without the grid\n"
        "  learner_*.txt              what was learned: for --resume and --replay\n";
  report.files +=
      "  gait.svg                   the learned gait beside the planned one\n"
      "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
      "  swim.pvd                   the same for ParaView\n"
      "  learning_*.csv, gait_*.csv\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("swimmer_policy", parse_options(argc, argv), run); }
