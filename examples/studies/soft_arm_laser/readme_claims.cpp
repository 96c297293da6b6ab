// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/readme_claims.hpp"

#include "examples/studies/figures/json_results.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace studies::laser {
namespace {

using figures::format_number;

constexpr double half_digit_of_cost = 5e-5, half_digit_of_finished = 5e-4;  // README prints 2.3327 and 2.339
constexpr double largest_excess = 2.5e-3;  // of a finished plan's cost over the optimum: "0.2 %"
constexpr double rounding_of_counts = 0.95, half_digit_of_spot = 1.02;
constexpr double noise_of_times = 0.5;

const PlanFigures& claimed(const std::string& key) {
  const auto row = std::find_if(readme_rows().begin(), readme_rows().end(),
                                [&](const ReadmeRow& candidate) { return candidate.key == key; });
  if (row == readme_rows().end()) throw std::invalid_argument("README's table has no row '" + key + "'");
  return row->figures;
}

}  // namespace

const std::vector<ReadmeRow>& readme_rows() {
  static const std::vector<ReadmeRow> rows{
      {"eq8",
       {.evaluations = 3763, .seconds = 6.4, .cost = 2.3328, .spot = 37, .finished = 2.339, .seconds_in_all = 7.1}},
      {"grid",
       {.evaluations = 1146, .seconds = 2.0, .cost = 2.3327, .spot = 37, .finished = 2.339, .seconds_in_all = 2.7}},
      {"grid_enough",
       {.evaluations = 413, .seconds = 1.8, .cost = 2.3327, .spot = 37, .finished = 2.339, .seconds_in_all = 2.4}},
      {"grid_jets",
       {.evaluations = 65, .seconds = 0.21, .cost = 2.3327, .spot = 37, .finished = 2.339, .seconds_in_all = 0.9}},
      {"grid_inertial",
       {.evaluations = 65, .seconds = 0.37, .cost = 2.3346, .spot = 0.81, .finished = 2.335, .seconds_in_all = 0.74}},
      {"eq2", {.evaluations = 1000, .seconds = 2.3, .cost = 2.3347, .spot = 0.47}}};
  return rows;
}

std::vector<Check> check_readme_counts(const std::string& who, const std::string& key, const PlanFigures& plan,
                                       const PlanFigures& on_eq8, const PlanFigures& on_eq2) {
  const PlanFigures& claim = claimed(key);
  std::vector<Check> checks;
  const auto add = [&](const std::string& words, double measured, double wanted, bool holds) {
    if (!std::isnan(measured))
      checks.push_back(
          {who + "README: " + words + " " + format_number(wanted, 5) + ": " + format_number(measured, 5), holds});
  };
  add("evaluations at most", plan.evaluations, claim.evaluations, plan.evaluations <= claim.evaluations);
  const double fewer = on_eq8.evaluations / plan.evaluations,
               claimed_fewer = claimed("eq8").evaluations / claim.evaluations;
  add("times fewer evaluations than exact Eq. 8, to 5 %,", fewer, claimed_fewer,
      fewer >= rounding_of_counts * claimed_fewer);
  add("to half a digit, cost as planned at most", plan.cost, claim.cost, plan.cost <= claim.cost + half_digit_of_cost);
  add("to half a digit, cost finished on Eq. 2 at most", plan.finished, claim.finished,
      plan.finished <= claim.finished + half_digit_of_finished);
  const double excess = plan.finished / on_eq2.cost - 1;
  add("above the optimum on Eq. 2 by at most", excess, largest_excess, excess <= largest_excess);
  add("to half a digit, the spot is off on Eq. 2 by at most, in mm,", plan.spot, claim.spot,
      plan.spot <= claim.spot * half_digit_of_spot);
  return checks;
}

std::vector<Check> check_readme_times(const std::string& who, const std::string& key, double times_faster_than_eq8,
                                      double times_faster_in_all_than_eq2) {
  const PlanFigures& claim = claimed(key);
  std::vector<Check> checks;
  const auto add = [&](const std::string& words, double measured, double wanted) {
    checks.push_back({who + "README, within a factor of 2: " + words + " " + format_number(wanted, 2) +
                          " times faster: " + format_number(measured, 2),
                      measured >= noise_of_times * wanted});
  };
  add("than on exact Eq. 8,", times_faster_than_eq8, claimed("eq8").seconds / claim.seconds);
  add("than on Eq. 2, finished there,", times_faster_in_all_than_eq2, claimed("eq2").seconds / claim.seconds_in_all);
  return checks;
}

}  // namespace studies::laser
