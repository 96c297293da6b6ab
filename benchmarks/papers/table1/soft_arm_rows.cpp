// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/table1/soft_arm_rows.hpp"

#include "benchmarks/papers/table1/laser_kernel.hpp"
#include "benchmarks/papers/table1/paper_row.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "examples/studies/soft_arm_laser/readme_claims.hpp"
#include "quoin/util/to_text.hpp"

#include <limits>
#include <variant>

namespace benchmarks {
namespace {

namespace laser = studies::laser;
using studies::figures::format_number;

constexpr int space = 3;

struct SoftArmWay {
  std::string name;
  std::variant<laser::GridChoice, laser::KernelChoice> choice;
  std::string readme_key = {};                                                 // of README's row; empty: it has none
  std::vector<double> seconds = {}, ratio_to_shapes = {}, ratio_to_full = {};  // to_full: to 1 % of its optimum
  std::vector<double> ratio_in_all = {};  // of Eq. 2's time to that of the plan and its finish there
  Eigen::Index swept = 0;                 // numbers that a query sweeps: coordinates in the basis and lengths
  laser::Plan plan = {};
  double f_seconds = 0, break_even = std::numeric_limits<double>::quiet_NaN();
  laser::StepErrors errors = {};

  long evaluations_allowed() const {  // of a kernel
    return std::get<laser::KernelChoice>(choice).jet_order == 1 ? 40 : 20;
  }
};

void require_finished(const laser::Plan& plan) {
  if (!plan.finished) throw std::runtime_error(plan.name + " did not converge: " + plan.stop);
}

/// Plans, and measures the errors of g~ at N = `steps` steps (0: none).
void plan_along(const laser::Arm<space>& arm, SoftArmWay& way, int steps) {
  if (const auto* grid = std::get_if<laser::GridChoice>(&way.choice)) {
    laser::Surrogate<space> surrogate(arm, *grid);
    way.plan = plan_through_grid(arm, surrogate, *grid);
    require_finished(way.plan);
    const GridStatistics statistics = surrogate.grid().statistics();
    way.f_seconds = statistics.seconds_in_function / static_cast<double>(statistics.exact_evaluations);
    way.break_even = statistics.break_even_queries;
    way.swept = surrogate.coordinates(surrogate.solved).output_size();
    if (steps > 0) way.errors = step_errors(arm, surrogate, way.plan, steps);
  } else {
    const auto& choice = std::get<laser::KernelChoice>(way.choice);
    laser::KernelOfShapes<space> shapes(arm, choice);
    way.plan = plan_through_kernel(arm, shapes, choice);
    require_finished(way.plan);
    way.f_seconds = shapes.statics.seconds() / static_cast<double>(shapes.statics.solves());
    way.swept = shapes.maps(arm).coordinates.output_size();
    if (steps > 0) way.errors = step_errors(arm, shapes, way.plan, steps);
  }
}

}  // namespace

void tell_soft_arm(Report& report, bool quick) {
  const laser::Arm<space> arm;
  std::vector<SoftArmWay> ways{
      {.name = "soft arm, grid of 1-jets, spacing 0.5 to 0.125 (the paper's)",
       .choice = laser::GridChoice{.jet_order = 1, .spacing = 0.5, .threshold = 0.2},
       .readme_key = "grid"},
      {.name = "soft arm, grid of 1-jets, spacing 1.5 until the error along the plan is 2e-6 m",
       .choice = laser::GridChoice{.spacing = 1.5, .enough = 2e-6},
       .readme_key = "grid_enough"},
      {.name = "soft arm, grid of 2-jets, spacing 0.9",
       .choice = laser::GridChoice{.jet_order = 2, .spacing = 0.9, .threshold = 0.9},
       .readme_key = "grid_jets"},
      {.name = "soft arm, grid of 3-jets, spacing 1.25",
       .choice = laser::GridChoice{.jet_order = 3, .spacing = 1.25, .threshold = 1.25}},
      {.name = "soft arm, kernel of 1-jets", .choice = laser::KernelChoice{.jet_order = 1}},
      {.name = "soft arm, kernel of 2-jets", .choice = laser::KernelChoice{.jet_order = 2}}};
  std::vector<double> shapes_seconds, full_seconds;
  laser::Plan on_shapes, on_full;
  for (int repetition = 0; repetition < (quick ? 1 : 3); ++repetition) {
    on_shapes = plan_on_exact_shapes(arm);
    require_finished(on_shapes);
    on_full = plan_on_full_dynamics(arm);
    require_finished(on_full);
    shapes_seconds.push_back(on_shapes.seconds);
    full_seconds.push_back(on_full.seconds);
    for (SoftArmWay& way : ways) {
      plan_along(arm, way, repetition > 0 ? 0 : quick ? 20 : 100);
      way.plan.polished = polish(arm, way.plan, 1);
      way.seconds.push_back(way.plan.seconds);
      way.ratio_to_shapes.push_back(on_shapes.seconds / way.plan.seconds);
      way.ratio_in_all.push_back(on_full.seconds / (way.plan.seconds + way.plan.polished->seconds));
      way.ratio_to_full.push_back(laser::seconds_to_one_percent(on_full, on_full.cost) /
                                  (way.plan.seconds + laser::seconds_to_one_percent(*way.plan.polished, on_full.cost)));
    }
  }

  report.results.add(paper_soft_arm.row().set("exact_evaluations_without", 4800));
  for (const SoftArmWay& way : ways) {
    report.results.add(studies::figures::ResultRow()
                           .set("example", way.name)
                           .set("N", arm.body.size())
                           .set("swept", way.swept)
                           .set("dim", 4)
                           .set("f_seconds", way.f_seconds)
                           .set("g_seconds", way.errors.seconds_exact)
                           .set("g_surrogate_seconds", way.errors.seconds_grid)
                           .set("exact_evaluations_with", way.plan.evaluations)
                           .set("exact_evaluations_without", on_shapes.evaluations)
                           .set("evaluation_ratio",
                                static_cast<double>(on_shapes.evaluations) / static_cast<double>(way.plan.evaluations))
                           .set("exact_evaluations_as_paper_counts", on_shapes.steps)
                           .set("evaluation_ratio_as_paper_counts",
                                static_cast<double>(on_shapes.steps) / static_cast<double>(way.plan.evaluations))
                           .set("wall_seconds_with", median(way.seconds))
                           .set("wall_seconds_without", median(shapes_seconds))
                           .set("exact_side", "measured")
                           .set("speed_up", median(way.ratio_to_shapes))
                           .set("wall_seconds_eq2", median(full_seconds))
                           .set("cost_on_eq2", way.plan.polished->log.front().cost)
                           .set("cost_finished_on_eq2", way.plan.polished->cost)
                           .set("cost_of_eq2", on_full.cost)
                           .set("speed_up_to_one_percent_of_eq2", median(way.ratio_to_full))
                           .set("relative_error", way.errors.state)
                           .set("displacement_relative_error", way.errors.displacement)
                           .set("jacobian_relative_error", way.errors.jacobian)
                           .set("break_even_queries", way.break_even)
                           .set("cost_with", way.plan.cost)
                           .set("cost_without", on_shapes.cost)
                           .set("iterations_with", way.plan.log.size())
                           .set("iterations_without", on_shapes.log.size()));
    const std::string numbers = way.name + ": ";
    const double evaluation_ratio =
        static_cast<double>(on_shapes.evaluations) / static_cast<double>(way.plan.evaluations);
    report.checks.push_back(
        {numbers + "relative error of g~ at most 7e-6, the paper's: " + format_number(way.errors.state),
         way.errors.state <= 7e-6});
    report.checks.push_back({numbers + "the plan costs what the exact plan costs, to 1e-4: " +
                                 format_number(std::abs(way.plan.cost / on_shapes.cost - 1)),
                             std::abs(way.plan.cost / on_shapes.cost - 1) < 1e-4});
    const double apart = way.plan.polished->cost / on_full.cost - 1;
    report.checks.push_back({numbers +
                                 "finished by one step on Eq. 2, it costs what the plan made there costs, to 1 %: " +
                                 format_number(100 * apart) + " %",
                             apart <= 0.01});
    report.checks.push_back({numbers + "to 1 % of the optimum on Eq. 2 at least 3 times faster than on Eq. 2 alone: " +
                                 format_number(median(way.ratio_to_full)) + " times",
                             median(way.ratio_to_full) >= 3, false});
    if (!way.readme_key.empty()) {
      auto claims = laser::check_readme_counts(numbers, way.readme_key,
                                               {.evaluations = static_cast<double>(way.plan.evaluations),
                                                .cost = way.plan.cost,
                                                .finished = way.plan.polished->cost},
                                               {.evaluations = static_cast<double>(on_shapes.evaluations)},
                                               {.cost = on_full.cost});
      report.checks.insert(report.checks.end(), claims.begin(), claims.end());
      claims =
          laser::check_readme_times(numbers, way.readme_key, median(way.ratio_to_shapes), median(way.ratio_in_all));
      report.checks.insert(report.checks.end(), claims.begin(), claims.end());
    }
    if (std::holds_alternative<laser::KernelChoice>(way.choice)) {
      report.checks.push_back(
          {numbers + "relative error of the Jacobian of g~ at most 1e-4: " + format_number(way.errors.jacobian),
           way.errors.jacobian <= 1e-4});
      report.checks.push_back({numbers + "at most " + to_text(way.evaluations_allowed()) +
                                   " exact evaluations in all: " + to_text(way.plan.evaluations),
                               way.plan.evaluations <= way.evaluations_allowed()});
    }
    report.checks.push_back(
        {numbers + "a step on the surrogate takes at most 30 us: " + format_number(1e6 * way.errors.seconds_grid),
         way.errors.seconds_grid <= 30e-6, false});
    report.checks.push_back(
        {numbers + "at least 22 times fewer exact evaluations, the paper's: " + format_number(evaluation_ratio),
         evaluation_ratio >= 22, false});
    report.checks.push_back(
        {numbers + "at least 50 times faster than on exact Eq. 8: " + format_number(median(way.ratio_to_shapes)),
         median(way.ratio_to_shapes) >= 50, false});
  }
}

}  // namespace benchmarks
