// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/study_command_line.hpp"
#include "examples/studies/swimmer_policy/pictures.hpp"
#include "examples/studies/swimmer_policy/policy_run.hpp"
#include "examples/studies/swimmer_policy/report.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"

#include <algorithm>

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
}

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const bool learned = options.replay.empty();
  const PolicyResult result = run_policies(options, out);
  write_data(result, out);
  write_pictures(result, options, out);
  studies::Report report = report_on(result, learned, options.pinned());
  if (learned) {
    report.pictures +=
        "  returns.svg                what the policies swim, and their returns, while they learn\n"
        "  evaluations.svg            exact evaluations with and without the grid\n";
    report.files += "  learner_*.txt              what was learned: for --resume and --replay\n";
  }
  report.pictures += "  gait.svg                   the learned gait beside the planned one\n";
  report.files +=
      "  swim.svg, swim_moving.svg  the swimmer from above, coloured by the potential on its surface\n"
      "  swim.pvd                   the same for ParaView\n"
      "  learning_*.csv, gait_*.csv, study.json\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions options;
  GridChoice& grid = options.choice.grid;
  StudyCommandLine line(
      "swimmer_policy",
      "A swimmer of four bodies on three hinges learns to swim: a feedback controller is trained by proximal policy "
      "optimization through the on-demand grid (Jia, Pan, Manocha 2019, Eq. 6 and section V), replayed on boundary "
      "elements, and compared with the planned stroke and with a search without gradients. Draws pictures.",
      "Under a minute: a coarser mesh, fewer iterations, seeds and samples", options);
  line.add_with_quick("--mesh", options.mesh, 2, "n of the ellipsoids, 10 n^2 + 2 vertices each").between(2, 12);
  line.add("--spacing", grid.spacing, "Of the grid at level 0, rad").between(0.05, 0.75);
  line.add("--threshold", grid.threshold, "Refine until the spacing is below this, rad")
      .between(0.01, 0.75)
      .without_default();
  line.add_with_quick("--iterations", options.choice.iterations, {40},
                      "Of learning, on each level of the grid; the last number serves all further levels")
      .between(1, 100000)
      .comma_separated();
  line.add_with_quick("--seeds", options.seeds, 1, "Number of learners").between(1, 100);
  line.add("--seed", options.first_seed, "Of the first learner; the others follow");
  line.add_with_quick("--exact-samples", options.exact_samples, 32,
                      "Steps on boundary elements, drawn from the policy's rollouts")
      .between(1, 16384);
  line.add_with_quick("--search-iterations", options.search_iterations, 40,
                      "Of the cross-entropy method on the same task; 0: leave it out")
      .between(0, 100000);
  line.add("--resume", options.resume, "Go on from a learner's file, to as many iterations in all").existing_file();
  line.add("--replay", options.replay, "Swim with a policy's or learner's file, without learning").existing_file();
  line.after_parsing([&] {
    if (!options.resume.empty() && !options.replay.empty())
      throw Refusal("--resume and --replay", "exclude each other");
    if ((!options.resume.empty() || !options.replay.empty()) && line.count("--seeds") + line.count("--seed") > 0)
      throw Refusal("--seed and --seeds", "are of learners that begin; a file has its own");
  });
  return line.run(argc, argv, [&](const figures::OutputFolder& out) {
    if (line.count("--threshold") == 0) grid.threshold = std::max(grid.threshold, grid.spacing);
    return run(options, out);
  });
}
