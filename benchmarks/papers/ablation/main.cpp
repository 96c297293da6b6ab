// SPDX-License-Identifier: BSD-3-Clause
// What each part of Algorithm 1 of Jia, Pan, Manocha 2019 saves: a box of corners, corners on demand, coarse to fine.
#include "benchmarks/papers/ablation/schemes.hpp"

namespace {
using namespace benchmarks;

Report run(bool quick) {
  Report report;
  tell_arm(report, quick);
  tell_stroke(report, quick);
  tell_policy_ablation(report, quick);
  tell_long_path(report, quick);
  report.columns = {{"task"},
                    {"dim", "variables"},
                    {"scheme"},
                    {"spacing"},
                    {"evaluations", "evaluations"},
                    {"share_of_box", "share of the box"},
                    {"wall_seconds", "wall [s]"},
                    {"how", "which are"},
                    {"relative_error", "error of a step"},
                    {"cost"}};
  report.notes +=
      "A dense box has every corner of the grid's domain at the finest spacing, (points on an axis)^variables; its "
      "time is that of one level on demand and of the evaluations that this did not make, on all cores. Its answers "
      "are those of one level, so that its error and its cost are.\n\n"
      "Swimmers at 42 vertices a link. The long path: a swimmer of five hinges follows a wave that grows in height and "
      "frequency, so that its angles seldom come back to a cell; from zero torques.\n\n"
      "The policy learns as many iterations either way; which policy it becomes differs, and with it the way swum.\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "ablation",
                       "What corners on demand save beside a box of them, and what coarse to fine saves beside one "
                       "level: on the rows of Table I of Jia, Pan, Manocha 2019, and on a long path.",
                       run);
}
