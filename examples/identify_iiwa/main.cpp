// SPDX-License-Identifier: BSD-3-Clause
#include "examples/identify_iiwa/arm_results.hpp"
#include "examples/identify_iiwa/program_options.hpp"

namespace {

using namespace quoin;
using namespace quoin::iiwa;

study::Report run(const ProgramOptions& options, const io::OutputFolder& out) {
  const ArmResults results = run_parts(options);
  study::Report report = report_on(results, options.pinned());
  report.files = draw(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return study::run_example("identify_iiwa", parse_options(argc, argv), run); }
