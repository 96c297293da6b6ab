// SPDX-License-Identifier: BSD-3-Clause
// Whether the spacings that suggest_resolutions chooses for the swimmer's added mass are right: grids of given spacings
// are measured along the planned stroke, and spacings suggested for the errors found.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/drawn_functions.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/quoin.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;
using studies::figures::format_number;
using studies::stroke::Fish;

constexpr int dim = studies::stroke::joints;
using Angles = Point<dim>;

/// Jets of order 3 of the added mass, from central differences of its Jacobian: 19 evaluations a jet, for every pair of
/// axes the four corners of a square among them. The derivative along all three axes is the mean over the pairs.
Eigen::MatrixXd differenced_jet(const Fish& fish, const Angles& q) {
  constexpr double h = 0.01;
  Eigen::VectorXd value, unused;
  Eigen::MatrixXd at_q;
  fish.water.evaluate(q, value, at_q);
  const auto jacobian = [&](const Angles& offset) {
    Eigen::MatrixXd J;
    fish.water.evaluate(q + h * offset, unused, J);
    return J;
  };
  const auto unit = [](int i) -> Angles { return Angles::Unit(i); };

  Eigen::MatrixXd along[dim], curved[dim], mixed = Eigen::MatrixXd::Zero(value.size(), 1);  // d_i J, d_i d_i J
  for (int i = 0; i < dim; ++i) {
    const Eigen::MatrixXd ahead = jacobian(unit(i)), behind = jacobian(-unit(i));
    along[i] = (ahead - behind) / (2 * h);
    curved[i] = (ahead - 2 * at_q + behind) / (h * h);
    const Angles a = unit((i + 1) % dim), b = unit((i + 2) % dim);
    mixed += (jacobian(a + b) - jacobian(a - b) - jacobian(b - a) + jacobian(-a - b)).col(i) / (4 * h * h) / dim;
  }

  Eigen::MatrixXd jet(value.size(), jet_size(dim, 3));
  Eigen::Index column = 0;
  for (const MultiIndex<dim>& index : graded_multi_indices<dim>(3)) {
    std::vector<int> axes;  // each as often as it is differentiated along
    for (int i = 0; i < dim; ++i) axes.insert(axes.end(), static_cast<std::size_t>(index[i]), i);
    auto derivative = jet.col(column++);
    if (axes.empty())
      derivative = value;
    else if (axes.size() == 1)
      derivative = at_q.col(axes[0]);
    else if (axes.size() == 2)
      derivative = (along[axes[0]].col(axes[1]) + along[axes[1]].col(axes[0])) / 2;
    else if (axes[0] == axes[1])
      derivative = curved[axes[0]].col(axes[2]);
    else if (axes[1] == axes[2])
      derivative = curved[axes[1]].col(axes[0]);
    else
      derivative = mixed;
  }
  return jet;
}

/// The edge of cubes for jets of order 1 that suggest_resolutions expects to meet the tolerance.
double suggested(const std::vector<Eigen::MatrixXd>& jets, const Eigen::VectorXd& weights, double tolerance) {
  const auto resolutions = suggest_resolutions<dim>(
      jets, tolerance, {.output_weights = weights, .costs = {1}, .proportions = Angles::Ones()});
  return resolutions.front().spacing[0];
}

Report run(bool quick) {
  studies::stroke::Setup setup;
  setup.chain.mesh = 2;
  const Fish fish(setup);
  const Eigen::VectorXd weights = studies::stroke::water_weights(fish.body);
  const WeightedNorm norm(fish.water.output_size(), weights, "suggested_spacings");

  const studies::stroke::GridChoice choice{.spacing = 0.6, .threshold = 0.6};
  auto planner_grid = make_grid(fish, choice);
  const Eigen::MatrixXd stroke = plan_through_grid(fish, planner_grid, choice).plan.points;

  std::vector<Eigen::MatrixXd> on_plan;
  for (const Eigen::Index eighth : {1, 3, 5, 7})
    on_plan.push_back(differenced_jet(fish, stroke.col(eighth * (stroke.cols() - 1) / 8)));
  std::vector<std::vector<Eigen::MatrixXd>> off_plan(quick ? 3 : 10);
  Draw draw(1);
  for (std::vector<Eigen::MatrixXd>& jets : off_plan)
    while (jets.size() < 4) jets.push_back(differenced_jet(fish, draw.in_box<dim>(-0.8, 0.8)));

  Report report;
  double worst = 1, worst_off = 1;
  const auto off_by = [](double suggestion, double spacing) {
    return std::max(suggestion / spacing, spacing / suggestion);
  };
  for (const double spacing : {0.8, 0.6, 0.4, 0.3, 0.2}) {
    const auto grid = make_grid(fish, {.spacing = spacing, .threshold = spacing});
    double error = 0;
    Eigen::VectorXd y, exact;
    for (Eigen::Index i = 0; i < stroke.cols(); i += quick ? 4 : 1) {
      const Angles q = stroke.col(i);
      grid.evaluate(q, y);
      fish.water.evaluate(q, exact);
      error = std::max(error, norm(y - exact));
    }
    const double from_plan = suggested(on_plan, weights, error);
    std::vector<double> others;
    for (const auto& jets : off_plan) others.push_back(suggested(jets, weights, error));
    const auto [least, most] = std::minmax_element(others.begin(), others.end());
    worst = std::max(worst, off_by(from_plan, spacing));
    worst_off = std::max({worst_off, off_by(*least, spacing), off_by(*most, spacing)});
    report.results.add(studies::figures::ResultRow()
                           .show("spacing", spacing, "spacing measured", 1)
                           .show("error", error, "worst error along the plan", 2)
                           .show("suggested", from_plan, "spacing suggested for it", 2)
                           .show("suggested_off_plan_least", *least, "from random points", 2)
                           .show("suggested_off_plan_most", *most, "to", 2)
                           .show("evaluations", grid.statistics().exact_evaluations, "evaluations of the grid"));
  }
  report.notes =
      "The added mass of the stroke of four ellipsoids (n = 2), relative to the mass of a link, on cubes, K = 1. "
      "Suggested from jets at four points evenly spread along the plan, 76 evaluations; random points: " +
      to_text(off_plan.size()) + " draws of four points from [-0.8, 0.8]^3.\n";
  report.checks = {
      {"suggestions from the plan are right to 20 %: " + format_number(100 * (worst - 1)) + " %", worst <= 1.2},
      {"suggestions from random points are right to 50 %: " + format_number(100 * (worst_off - 1)) + " %",
       worst_off <= 1.5}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "suggested_spacings",
                       "The spacings that suggest_resolutions chooses for the swimmer's added mass.", run);
}
