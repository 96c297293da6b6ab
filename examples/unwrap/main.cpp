// SPDX-License-Identifier: BSD-3-Clause
#include "examples/unwrap/program_options.hpp"
#include "examples/unwrap/report.hpp"
#include "quoin/io/progress.hpp"

#include <iostream>
#include <set>
#include <utility>

namespace {

using namespace quoin;
using namespace quoin::unwrap;

study::Report run(const ProgramOptions& options, const io::OutputFolder& out) {
  const StudyChoice& choice = options.study;
  std::set<std::pair<double, std::uint64_t>> seen;
  io::Progress progress(std::cerr, "scenes", static_cast<long>(choice.windings.size()) * choice.scenes);
  const StudyResults results = run_study(choice, [&](const Trial& trial) {
    seen.insert({trial.winding, trial.seed});
    progress.update(static_cast<long>(seen.size()) - 1, trial.planner + (trial.success ? "" : " failed"));
  });
  progress.finish();
  study::Report report = report_on(results, choice);
  report.files = draw(results, choice, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return study::run_example("unwrap", parse_options(argc, argv), run); }
