// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/unwrap/program_options.hpp"
#include "examples/studies/unwrap/report.hpp"

#include <iostream>
#include <set>
#include <utility>

namespace {

using namespace studies;
using namespace studies::unwrap;

studies::Report run(const ProgramOptions& options, const figures::OutputFolder& out) {
  const StudyChoice& choice = options.study;
  std::set<std::pair<double, std::uint64_t>> seen;
  figures::Progress progress(std::cerr, "scenes", static_cast<long>(choice.windings.size()) * choice.scenes);
  const StudyResults results = run_study(choice, [&](const Trial& trial) {
    seen.insert({trial.winding, trial.seed});
    progress.update(static_cast<long>(seen.size()) - 1, trial.planner + (trial.success ? "" : " failed"));
  });
  progress.finish();
  studies::Report report = report_on(results, choice);
  report.files = draw(results, choice, out);
  return report;
}

}  // namespace

int main(int argc, char** argv) { return studies::run_example("unwrap", parse_options(argc, argv), run); }
