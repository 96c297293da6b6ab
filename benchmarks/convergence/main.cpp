// SPDX-License-Identifier: BSD-3-Clause
// The orders of the surrogate: how fast the errors of its value and Jacobian fall with the spacing, on smooth
// functions with jets of order 0 to 3 and without derivatives, in 1 to 4 dimensions, and on the soft arm. For
// comparison the obvious reading of "values and gradients at the corners": the tensor-product Hermite cubic
// with zero mixed derivatives.
#include "benchmarks/convergence/arm.hpp"
#include "benchmarks/convergence/curve_report.hpp"
#include "benchmarks/convergence/waves.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/util/to_text.hpp"

#include <string>
#include <vector>

namespace {
using namespace benchmarks;

Report convergence(bool quick) {
  Report report;
  Furthest furthest;
  const auto add_waves = [&](const std::vector<Curve>& curves, int dim) {
    add_rows(report, "waves", dim, curves, 0.2);
    furthest.look_at(curves, dim);
  };
  add_waves(curves_on_waves<1>(quick), 1);
  add_waves(curves_on_waves<2>(quick), 2);
  add_waves(curves_on_waves<3>(quick), 3);
  add_waves(curves_on_waves<4>(quick), 4);
  const std::vector<Curve> arm = curves_on_arm(quick);
  add_rows(report, "soft arm", 4, arm, 0.125);

  report.columns = {{"function"},
                    {"dim", "d"},
                    {"method"},
                    {"value_order_expected", "order of value: expected"},
                    {"value_order", "fitted"},
                    {"jacobian_order_expected", "of Jacobian: expected"},
                    {"jacobian_order", "fitted"},
                    {"spacing", "at h"},
                    {"value_error", "error of value"},
                    {"jacobian_error", "of Jacobian"}};
  report.notes =
      "Waves: six smooth outputs that do not separate, of wave number 1.5; largest error over outputs and " +
      to_text(wave_points(quick)) +
      " fixed random points, orders fitted over four or five halvings. Soft arm: N = 1575, 0 <= u <= 4 on its four "
      "lines; error over " +
      to_text(arm_points(quick)) +
      " fixed random points together, relative to the displacements and to the Jacobians (root mean squares); orders "
      "fitted over two or three halvings. One halving more takes K = 2 to the accuracy of the solver itself.\n"
      "Values only: no derivatives are asked of f. Zero twist: the tensor-product Hermite cubic from the values and "
      "gradients that K = 1 has, its mixed derivatives set to zero, the obvious reading of a grid that stores "
      "gradients (on a line it is K = 1).\n";
  Furthest furthest_on_arm;
  furthest_on_arm.look_at(arm, 4);
  const double worst = arm[0].worst_values[2];
  report.checks = {
      {"every fitted order on the waves is within 0.2 of what is expected; furthest: " + furthest.name,
       furthest.deviation <= 0.2},
      {"every fitted order on the soft arm is within 0.2; furthest: " + furthest_on_arm.name,
       furthest_on_arm.deviation <= 0.2, false},
      {"the soft arm's displacements at h = 0.125, K = 1, are within 7e-6 at every point, the accuracy of the paper's "
       "plan; worst: " +
           studies::figures::format_number(worst),
       worst <= 7e-6, false}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "convergence",
                       "The orders of the surrogate: errors of its value and Jacobian against the spacing.",
                       convergence);
}
