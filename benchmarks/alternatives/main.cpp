// SPDX-License-Identifier: BSD-3-Clause
// The on-demand grid against what a user would pick instead: exact evaluations and query times, for the same accuracy,
// of the grid and of surrogates of a whole box: dense Chebyshev interpolation, an adaptive sparse grid, polynomials
// fitted to gradients, kriging with and without gradients, and, on the samples of kriging with gradients, their nearest
// neighbour and a neural network. docs/when_to_use.md draws the conclusions.
#include "benchmarks/alternatives/box_methods.hpp"
#include "benchmarks/alternatives/curve.hpp"
#include "benchmarks/alternatives/curve_report.hpp"
#include "benchmarks/alternatives/grid_methods.hpp"
#include "benchmarks/alternatives/leaving_the_box.hpp"
#include "benchmarks/alternatives/own_checks.hpp"
#include "benchmarks/alternatives/ridge_functions.hpp"
#include "benchmarks/alternatives/sampled_models.hpp"
#include "benchmarks/alternatives/workloads.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/util/to_text.hpp"

#include <memory>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;

template <int Dim>
std::vector<Method> methods_for(const Workload& w, bool with_network) {
  std::vector<Method> methods = grids<Dim>(w);
  methods.push_back(chebyshev(w));
  methods.push_back(sparse_grid(w));
  methods.push_back(polynomial(w));
  methods.push_back(kriging(w, false, false));
  for (const bool on_path : {false, true}) {
    if (on_path && !w.path) continue;
    const auto record = std::make_shared<std::vector<Eigen::MatrixXd>>();  // is filled before the next method runs
    methods.push_back(kriging(w, true, on_path, record));
    methods.push_back(nearest_neighbour(w, record, on_path));
    if (with_network && on_path == w.path) methods.push_back(network(w, record, on_path));
  }
  return methods;
}

const std::vector<std::string> all_grids{"grid, values only", "grid, K = 1", "grid, K = 2", "grid, K = 3"};
const std::vector<std::string> box_methods{"Chebyshev, dense", "sparse grid, R-Leja", "polynomial, gradients",
                                           "kriging, values", "kriging, gradients"};

Report alternatives(bool quick) {
  const Sizes& sizes = quick ? quick_sizes : full_sizes;
  Report report;
  std::vector<std::string> converging = all_grids;
  converging.insert(converging.end(), box_methods.begin(), box_methods.end());
  const auto run = [&]<int Dim>(const Workload& w, bool with_network = false) {
    std::vector<Curve> curves;
    for (Method& method : methods_for<Dim>(w, with_network && can_fit_networks()))
      curves.push_back(curve_of(w, method));
    add_rows(report, w, curves);
    return curves;
  };
  const Workload smooth = small_box(2, 0.5, sizes);
  const std::vector<Curve> smooth_curves = run.operator()<2>(smooth);
  report.checks = own_checks(smooth, smooth_curves, converging);
  const std::vector<Curve> smooth3 = run.operator()<3>(small_box(3, 0.5, sizes), true);
  run.operator()<4>(small_box(4, 0.5, sizes));
  const std::vector<Curve> smooth6 = run.operator()<6>(small_box(6, 0.5, sizes));
  run.operator()<3>(small_box(3, 1, sizes));
  run.operator()<2>(large_box(2, sizes));
  run.operator()<3>(large_box(3, sizes), !quick);
  const std::vector<Curve> large4 = run.operator()<4>(large_box(4, sizes));
  run.operator()<2>(layer_box(2, false, sizes));
  run.operator()<2>(layer_box(2, true, sizes), !quick);
  run.operator()<3>(layer_box(3, true, sizes));
  run.operator()<2>(arm_path<2>(false, sizes));
  const std::vector<Curve> arm = run.operator()<4>(arm_path<3>(false, sizes), !quick);
  run.operator()<4>(arm_path<3>(true, sizes));

  report.columns = {{"workload"},
                    {"dim", "d"},
                    {"method"},
                    {"value_1e-2", "evaluations for value 1e-2"},
                    {"value_1e-4", "1e-4"},
                    {"value_1e-6", "1e-6"},
                    {"jacobian_1e-2", "for Jacobian 1e-2"},
                    {"jacobian_1e-4", "1e-4"},
                    {"jacobian_1e-6", "1e-6"},
                    {"query_us", "query, us, at value 1e-4"},
                    {"values_1e-4", "values of f at 1e-4, if f gives no derivatives"}};
  report.notes =
      "Errors: relative, root mean squares over fixed points. An evaluation gives all that its method asks for: the "
      "value (values only, Chebyshev, sparse grid), with the Jacobian (K = 1, polynomial, kriging with gradients), "
      "with second or third derivatives (K = 2, 3). The last column counts values instead, where derivatives have to "
      "be taken by differences: C(d + K, K) for a K-jet, 1 + d for a gradient. \"> n\": not reached with n "
      "evaluations, "
      "the largest tried (budget " +
      to_text(sizes.budget) + ", arms " + to_text(sizes.arm_budget) +
      ", sparse grids 6000; kriging and polynomials: " + to_text(sizes.most_rows) +
      " rows or coefficients, twice that on small boxes of d >= 4). Each grid has one spacing, the largest of a fine "
      "sequence that meets the target; on a box it fills the box, on a path it evaluates what the path meets. Every "
      "other method samples the box, which has to be known; kriging on the path takes its samples from the path "
      "itself, "
      "as an interpolant in the planner's loop would. The nearest neighbour (value and Jacobian of the nearest sample, "
      "extended linearly) and the network (two layers of 64 tanh, fitted to values and Jacobians by Adam and L-BFGS, "
      "on "
      "four workloads) get the samples of kriging with gradients; on a box the nearest neighbour goes on with more. "
      "Queries give value and Jacobian, on one core, warm. The arms' "
      "path is a circle in a plane of their controls. A grid of values only takes its differences two spacings around "
      "the cells that answer, which on the arm in space is beyond buckling until the spacing is small; spacings at "
      "which f fails are passed over.\n\n"
      "When queries leave the box: the smallest surrogate that meets 1e-4 inside, d = 3, asked outside.\n\n" +
      leaving_table({{"waves, unit box", plane_waves(3, wavelength)},
                     {"layer of width 0.2, unit box", layer(3, Eigen::VectorXd::Constant(3, 0.9), 0.2)}},
                    sizes);
  const auto target = [&](const std::string& claim, long few, long many, double factor) {
    report.checks.push_back({claim + ": " + to_text(few) + " against " + to_text(many) + " (0: not within its budget)",
                             few > 0 && (many == 0 || factor * static_cast<double>(few) <= static_cast<double>(many)),
                             false});
  };
  target("smooth waves on a small box, d = 3, value 1e-4: the best method of a box needs at most a fifth of K = 1",
         fewest(smooth3, box_methods, 1e-4), fewest(smooth3, {"grid, K = 1"}, 1e-4), 5);
  target("d = 6: at most a twentieth", fewest(smooth6, box_methods, 1e-4), fewest(smooth6, {"grid, K = 1"}, 1e-4), 20);
  target(
      "waves on a path through a large box, d = 4, value 1e-2: a grid needs at most a third of every method of a box",
      fewest(large4, all_grids, 1e-2), fewest(large4, box_methods, 1e-2), 3);
  target("arm in space, path, value 1e-4: kriging on the path needs at most a third of K = 1",
         fewest(arm, {"kriging, gradients, on the path"}, 1e-4), fewest(arm, {"grid, K = 1"}, 1e-4), 3);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "alternatives",
                       "Grids against surrogates of a whole box: exact evaluations and query times for an accuracy.",
                       alternatives);
}
