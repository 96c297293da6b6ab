// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_results.hpp"
#include "examples/studies/identify_iiwa/program_options.hpp"

namespace {

using namespace studies;
using namespace studies::iiwa;

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const ArmResults results = run_parts(options);
  studies::Report report = report_on(results, options.pinned());
  report.files = draw(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("identify_iiwa", parse_options(argc, argv), run); }
