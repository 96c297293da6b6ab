// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/moving_obstacles/program_options.hpp"
#include "examples/studies/moving_obstacles/sphere_results.hpp"

namespace {

using namespace studies;
using namespace studies::spheres;

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const SphereResults results = run_parts(options);
  studies::Report report = report_on(results, options.pinned());
  report.files = draw(results, out) + draw_scenes(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("moving_obstacles", parse_options(argc, argv), run); }
