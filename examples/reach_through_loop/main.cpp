// SPDX-License-Identifier: BSD-3-Clause
#include "examples/reach_through_loop/pictures.hpp"
#include "examples/reach_through_loop/program_options.hpp"
#include "examples/reach_through_loop/report.hpp"

namespace {

using namespace quoin;

study::Report run(const loop::ProgramOptions& options, const io::OutputFolder& out) {
  const loop::StudyResults results = loop::run_study(options.study);
  study::Report report = loop::report_on(results, options.whole());
  report.files = loop::draw(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return study::run_example("reach_through_loop", loop::parse_options(argc, argv), run);
}
