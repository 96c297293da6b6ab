// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/parts.hpp"

namespace {

using namespace studies;
using namespace studies::grab;

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  studies::Report report;
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

int main(int argc, char** argv) { return studies::run_example("fluidic_grab", parse_options(argc, argv), run); }
