// SPDX-License-Identifier: BSD-3-Clause
// Lemma IV.1 of Jia, Pan, Manocha 2019: plans found on the grid converge to a local minimum on exact dynamics as the
// grid is refined, if the minimum is strict and the reduced mass is not singular.
#include "benchmarks/papers/lemma/arm.hpp"
#include "benchmarks/papers/lemma/swimmer.hpp"
#include "quoin/util/to_text.hpp"

namespace {
using namespace benchmarks;

Report run(bool quick) {
  Report report;
  const Refinement arm = refine_arm(quick);
  tell(report, arm);
  tell(report, singular_arm());
  const Refinement swimmer = refine_swimmer(quick);
  tell(report, swimmer);
  tell(report, singular_swimmer());
  report.columns = {{"robot"},
                    {"method"},
                    {"spacing", "h"},
                    {"evaluations", "exact evaluations"},
                    {"controls_rms", "controls: rms"},
                    {"controls_max", "largest"},
                    {"controls_local_order", "order"},
                    {"states_rms", "states: rms"},
                    {"states_max", "largest"},
                    {"states_local_order", "order"}};
  report.notes =
      "Distances between the plan on the grid at one level and the plan on exact dynamics, over all controls and all "
      "alpha or joint angles: the median of the root mean squares over " +
      quoin::to_text(arm.lattices) + " (arm) and " + quoin::to_text(swimmer.lattices) +
      " (swimmer) lattices that begin at different places, and the largest of all. Both sides are solved to the "
      "first-order "
      "conditions, down to rounding: iLQR, then Newton's method on the gradient. Rows of the floor: the distance "
      "between two plans on exact dynamics from different starts, and the orders over all levels. Evaluations: up to "
      "this level, mean over the lattices; in the floor's row those of the exact plan.\n\n"
      "Minimum: with exact derivatives of steps. Default derivative: that of the planner, without second derivatives "
      "of f; its fixed points are off the minimum by " +
      studies::figures::format_number(arm.default_distance) + " in a control on the arm's problem and cost " +
      studies::figures::format_number(arm.default_cost) + " more, relative.\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "lemma",
                       "Lemma IV.1 shown: plans found on the grid come to the plan on exact dynamics as the grid is "
                       "refined; and what is returned where the reduced mass is singular.",
                       run);
}
