// SPDX-License-Identifier: BSD-3-Clause
#include "examples/moving_obstacles/program_options.hpp"
#include "examples/moving_obstacles/sphere_results.hpp"

namespace {

using namespace quoin;
using namespace quoin::spheres;

study::Report run(const ProgramOptions& options, const io::OutputFolder& out) {
  const SphereResults results = run_parts(options);
  study::Report report = report_on(results, options.pinned());
  report.files = draw(results, out) + draw_scenes(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return study::run_example("moving_obstacles", parse_options(argc, argv), run); }
