// SPDX-License-Identifier: BSD-3-Clause
// Our results beside Table I of Jia, Pan, Manocha 2019: each robot's problem planned through the grid and without it.
#include "benchmarks/papers/table1/policy_rows.hpp"
#include "benchmarks/papers/table1/soft_arm_rows.hpp"
#include "benchmarks/papers/table1/swimmer_rows.hpp"
#include "benchmarks/support/benchmark_program.hpp"

#include <string>

namespace {
using namespace benchmarks;

Report run(bool quick) {
  Report report;
  tell_soft_arm(report, quick);
  tell_swimmer(report, quick);
  tell_policy(report, quick);
  report.columns = {{"example"},
                    {"N", "N as the paper counts"},
                    {"swept", "numbers that a query sweeps"},
                    {"f_seconds", "f [s]"},
                    {"g_seconds", "g [s]"},
                    {"g_surrogate_seconds", "g~ [s]"},
                    {"g_derivatives_seconds", "g with derivatives [s]"},
                    {"g_surrogate_derivatives_seconds", "g~ with derivatives [s]"},
                    {"exact_evaluations_with", "evaluations with"},
                    {"exact_evaluations_without", "without"},
                    {"evaluation_ratio", "ratio"},
                    {"exact_evaluations_without_differences", "without, no differences"},
                    {"evaluation_ratio_without_differences", "ratio"},
                    {"exact_evaluations_as_paper_counts", "without, as the paper counts"},
                    {"evaluation_ratio_as_paper_counts", "ratio"},
                    {"wall_seconds_with", "wall with [s]"},
                    {"wall_seconds_without", "exact Eq. 8, Eq. 3 [s]"},
                    {"exact_side", "which is"},
                    {"speed_up", "speed-up"},
                    {"cost_on_eq2", "cost on Eq. 2"},
                    {"cost_finished_on_eq2", "finished there"},
                    {"cost_of_eq2", "planned there"},
                    {"wall_seconds_eq2", "Eq. 2 [s]"},
                    {"speed_up_to_one_percent_of_eq2", "to 1 % of it, faster than Eq. 2"},
                    {"speed_up_first_order", "speed-up if curvature were free"},
                    {"relative_error", "error of g~"},
                    {"jacobian_relative_error", "of its Jacobian"},
                    {"break_even_queries", "break-even queries"},
                    {"distance", "swum [m]"}};
  report.notes =
      "As the paper counts: an evaluation for each step of dynamics of the arm and of the policy, of the swimmer those "
      "of rollouts alone, whose Jacobians serve the derivatives. No differences: without those that stand for second "
      "derivatives of the mass. A query sweeps so many numbers, and their Jacobian: coordinates in the basis of shapes "
      "and lengths, the packed added mass, or the potentials of Eq. 10 with the base's motion, P x 6.\n\n"
      "Wall times end to end, from zero controls to convergence, set-up of the grid included. Missing corners of grids "
      "are evaluated on all cores.\n\n"
      "Soft arm: all sides interleaved, medians, speed-ups are medians of ratios. f, g and g~ with derivatives; f is "
      "the "
      "mean over the surrogate's samples, g and g~ along the plan. Evaluations: equilibria of the mesh that were "
      "solved, for the basis of shapes too (a kernel's basis is that of its samples). Every side runs to its end; "
      "nothing is extrapolated. Exact Eq. 8 keeps its last 512 equilibria, starts each from the nearest, and shares "
      "the "
      "planner; Eq. 2 is planned by Gauss-Newton with adjoint sensitivities on two threads. Equilibria of exact Eq. 8 "
      "follow from each other and use one core.\n\n"
      "Swimmer: f is the added mass with its Jacobian on one core, g and g~ steps without derivatives, in their own "
      "columns with. All sides share planner and scheme, RK4; derivatives along the trajectory are shared by all "
      "cores. Through the grids and the kernel every plan runs to its end. " +
      std::string(quick ? "Planning on the flow (n = 2) is cut after two iterations and extrapolated to as many as the "
                          "last grid took. "
                        : "At n = 2 they run twice, before and after the plan on the flow, which runs to its end; the "
                          "slower counts. At n = 6 the plan on the flow is cut after its first iteration and "
                          "extrapolated by the evaluations that the one at n = 2 took, those of rollouts one after the "
                          "other, those of derivatives on all cores. ") +
      "Six of seven evaluations of a step with derivatives are differences for the second "
      "derivatives of the mass, without which the planner ends at another, worse plan; if curvature were free: without "
      "these. There is no Eq. 2 of the swimmer. On a grid of potentials (Eq. 10) the planner asks for their fluxes by "
      "a "
      "functional, which gives the same answers; g~ is timed as the paper has it, sweeping all of them. Eq. 4 takes "
      "one "
      "evaluation a step, on both sides; its rows are compared with the plan on the flow under Eq. 4.\n\n"
      "Policy: proximal policy optimization, one seed, 16384 steps of RK4 an iteration. An iteration: medians over "
      "those "
      "of the run, of swimming and of learning. g: a step from states drawn from the final policy's rollouts, all "
      "cores "
      "at work on steps of their own, a core's time; from these the exact iteration is extrapolated, learning "
      "included. "
      "All: end to end, corners included; the distance is what the policy's mean swims in the time of the stroke.\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "table1",
      "Table I of Jia, Pan, Manocha 2019: the soft arm's and the swimmer's plans, and the swimmer's policy.", run);
}
