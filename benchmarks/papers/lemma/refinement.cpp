// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/lemma/refinement.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace benchmarks {
namespace {

constexpr double clear_of_floor = 4;  // least distance shown / floor

std::string number(double value) { return studies::figures::format_number(value); }

std::string two_decimals(double value) { return to_fixed(value, 2); }

std::vector<double> values(const std::vector<PlanDistance>& distances, double PlanDistance::*which) {
  std::vector<double> result;
  std::transform(distances.begin(), distances.end(), std::back_inserter(result),
                 [=](const PlanDistance& d) { return d.*which; });
  return result;
}

/// Order by least squares over the last `halvings`: the slope of log distance over log spacing.
double fitted_order(const std::vector<double>& spacings, const std::vector<double>& distances, std::size_t halvings) {
  const auto n = static_cast<Eigen::Index>(halvings) + 1;
  const Eigen::ArrayXd h = Eigen::Map<const Eigen::ArrayXd>(spacings.data(), std::ssize(spacings)).tail(n).log();
  const Eigen::ArrayXd d = Eigen::Map<const Eigen::ArrayXd>(distances.data(), std::ssize(distances)).tail(n).log();
  return ((h - h.mean()) * (d - d.mean())).sum() / (h - h.mean()).square().sum();
}

void check_order(Report& report, const std::string& name, const RefinementCurve& curve, std::size_t halvings,
                 const OrderBand& band, const std::vector<double>& controls, const std::vector<double>& states) {
  const double of_controls = fitted_order(curve.spacings, controls, halvings),
               of_states = fitted_order(curve.spacings, states, halvings);
  report.checks.push_back({name + "order over the last " + to_text(halvings) + " halvings between " +
                               number(band.least) + " and " + number(band.greatest) + ": controls " +
                               two_decimals(of_controls) + ", states " + two_decimals(of_states),
                           band.holds(of_controls) && band.holds(of_states)});
}

}  // namespace

PlanDistance over_lattices(const std::vector<PlanDistance>& distances) {
  const auto greatest = [&](double PlanDistance::*which) { return std::ranges::max(values(distances, which)); };
  return {.controls_rms = median(values(distances, &PlanDistance::controls_rms)),
          .controls_max = greatest(&PlanDistance::controls_max),
          .states_rms = median(values(distances, &PlanDistance::states_rms)),
          .states_max = greatest(&PlanDistance::states_max)};
}

void tell(Report& report, const Refinement& refinement) {
  const TightPlan& exact = refinement.exact;
  report.checks.push_back(
      {refinement.robot + ": the exact plan is a strict local minimum: curvatures of the free controls " +
           number(exact.least_curvature) + " to " + number(exact.max_curvature) + ", " + to_text(exact.bound) +
           " controls at their bounds" +
           (exact.bound > 0 ? " with multipliers of " + number(exact.min_multiplier) + " and more" : ""),
       exact.strict()});
  for (const RefinementCurve& curve : refinement.curves) {
    const std::string name = refinement.robot + ", " + curve.method + ": ";
    const auto controls = values(curve.distances, &PlanDistance::controls_rms),
               states = values(curve.distances, &PlanDistance::states_rms);
    const std::size_t halvings = curve.spacings.size() - 1;
    for (std::size_t level = 0; level < curve.spacings.size(); ++level) {
      const PlanDistance& d = curve.distances[level];
      studies::figures::ResultRow row;
      row.set("robot", refinement.robot)
          .set("method", curve.method)
          .set("spacing", curve.spacings[level])
          .set("evaluations", curve.evaluations[level])
          .set("controls_rms", d.controls_rms)
          .set("controls_max", d.controls_max)
          .set("states_rms", d.states_rms)
          .set("states_max", d.states_max);
      if (level > 0) {
        row.set("controls_local_order", std::log2(controls[level - 1] / controls[level]))
            .set("states_local_order", std::log2(states[level - 1] / states[level]));
      }
      report.results.add(std::move(row));
    }
    studies::figures::ResultRow row;
    row.set("robot", refinement.robot)
        .set("method", curve.method + ", floor and fitted orders")
        .set("evaluations", refinement.exact_evaluations)
        .set("controls_rms", curve.floor.controls_rms)
        .set("controls_max", curve.floor.controls_max)
        .set("states_rms", curve.floor.states_rms)
        .set("states_max", curve.floor.states_max)
        .set("controls_local_order", fitted_order(curve.spacings, controls, halvings))
        .set("states_local_order", fitted_order(curve.spacings, states, halvings))
        .set("last_newton_step", curve.last_step);
    report.results.add(std::move(row));

    check_order(report, name, curve, halvings, curve.all, controls, states);
    check_order(report, name, curve, 3, curve.last, controls, states);
    const bool falls =
        std::is_sorted(controls.rbegin(), controls.rend()) && std::is_sorted(states.rbegin(), states.rend());
    report.checks.push_back({name + "every halving brings plans closer, from " + number(controls.front()) + " to " +
                                 number(controls.back()) + " (controls, root mean square)",
                             falls});
    const double shown = std::min(controls.back() / curve.floor.controls_rms, states.back() / curve.floor.states_rms);
    report.checks.push_back(
        {name + "what is shown is the grid, not the solver: the least distance is " + number(shown) +
             " times that of two exact plans from different starts, " + number(curve.floor.controls_rms) +
             ", and the largest step that Newton's method still wanted " + number(curve.last_step),
         shown >= clear_of_floor && curve.distances.back().controls_max >= clear_of_floor * curve.last_step});
  }
}

void tell(Report& report, const SingularCase& singular) {
  report.results.add(studies::figures::ResultRow()
                         .set("robot", singular.robot)
                         .set("method", "planner says: " + std::string(to_string(singular.stop)) + " at step " +
                                            to_text(singular.failed_step) + ", " + to_string(singular.status)));
  report.checks.push_back({singular.robot + ": the planner returns the status 'singular'; it returned '" +
                               to_string(singular.status) + "' (" + to_string(singular.stop) + ")",
                           singular.status == StepStatus::singular});
}

}  // namespace benchmarks
