// SPDX-License-Identifier: BSD-3-Clause
#include "examples/support/swim_pictures.hpp"
#include "examples/swimmer_policy/pictures.hpp"
#include "examples/swimmer_policy/policy_run.hpp"
#include "examples/swimmer_policy/program_options.hpp"
#include "examples/swimmer_policy/report.hpp"
#include "quoin/io/output_folder.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <variant>

namespace {

using namespace quoin;
using namespace quoin::stroke;

void write_pictures(const PolicyResult& result, const ProgramOptions& options, const io::OutputFolder& out) {
  const Eigen::MatrixXd& states = result.on_exact.states;
  const GridView<joints>& water = result.middle().learned.solved;
  const auto frames = swim_frames(result.fish, water, states, every_so_many(options.quick ? 8 : 4, states.cols()));
  write_frames(result.fish, states, frames, out);
  draw_swim(result.fish, states, frames, out);
  // A coarser swimmer moves: a frame is then some kilobytes.
  Setup setup = result.fish.setup;
  setup.chain.mesh = 2;
  const Fish light(setup);
  draw_moving(light, states, swim_frames(light, water, states, every_so_many(4, states.cols())), out);
  draw_gait(result, out);
}

int run(const ProgramOptions& options) {
  const io::OutputFolder out(options.out);
  if (!options.json.empty() && !std::ofstream(options.json, std::ios::app))
    throw std::runtime_error("cannot write to '" + options.json.string() + "'; choose another file with --json");
  const bool learned = options.replay.empty();
  const PolicyResult result = run_policies(options, out);
  const Report report(result, learned, options.pinned());
  write_csv(result, out);
  write_pictures(result, options, out);
  if (learned) {
    draw_returns(result, out);
    draw_evaluations(result, out);
  }
  std::cout << "\n" << report.text() << "\nPictures and tables are in " << out.path().string() << "/:\n";
  if (learned)
    std::cout << "  returns.svg                what the policies swim, and their returns, while they learn\n"
                 "  evaluations.svg            exact evaluations with and without the grid\n"
                 "  learner_*.txt              what was learned: for --resume and --replay\n";
  std::cout << "  gait.svg                   the learned gait beside the planned one\n"
               "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
               "  swim.pvd                   the same for ParaView\n"
               "  learning_*.csv, gait_*.csv\n";
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
    std::cerr << "swimmer_policy: " << error.what() << "\n";
    return 1;
  }
}
