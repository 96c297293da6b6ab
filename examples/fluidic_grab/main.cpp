// SPDX-License-Identifier: BSD-3-Clause
#include "examples/fluidic_grab/parts.hpp"

namespace {

using namespace quoin;
using namespace quoin::grab;

study::Report run(const ProgramOptions& options, const io::OutputFolder& out) {
  study::Report report;
  if (options.wants("identify")) identify(report, options, out);
  if (options.wants("reach")) find_reachable(report, options, out);
  if (options.wants("plan")) plan_grabs(report, options, out);
  if (options.wants("learn")) {
    find_realizable(report, options);
    learn_grabs(report, options, out);
  }
  return report;
}

}  // namespace

int main(int argc, char** argv) { return study::run_example("fluidic_grab", parse_options(argc, argv), run); }
