// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/pictures.hpp"
#include "examples/studies/reach_through_loop/program_options.hpp"
#include "examples/studies/reach_through_loop/report.hpp"

namespace {

using namespace studies;

studies::Report run(const loop::ProgramOptions& options, const figures::OutputFolder& out) {
  const loop::StudyResults results = loop::run_study(options.study);
  studies::Report report = loop::report_on(results, options.whole());
  report.files = loop::draw(results, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return studies::run_example("reach_through_loop", loop::parse_options(argc, argv), run);
}
