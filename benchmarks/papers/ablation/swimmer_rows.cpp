// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/ablation/schemes.hpp"
#include "examples/studies/swimmer_policy/policy_study.hpp"
#include "examples/studies/swimming/stroke_study.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace benchmarks {
namespace {

using namespace studies::stroke;

Fish coarse_fish() {
  Setup setup;
  setup.chain.mesh = 2;
  return Fish(setup);
}

OnDemand plan_on(const Fish& fish, AdaptiveGrid<joints>& grid, const GridChoice& choice, int samples) {
  const PlanOnGrid planned = plan_through_grid(fish, grid, choice);
  return {.evaluations = static_cast<long>(grid.statistics().exact_evaluations),
          .seconds = planned.plan.seconds,
          .seconds_in_function = grid.statistics().seconds_in_function,
          .error = step_errors(fish, planned.solved, planned.plan, samples).state,
          .cost = planned.plan.cost,
          .finished = planned.plan.finished};
}

OnDemand plan_on(const Fish& fish, const GridChoice& choice, int samples) {
  auto grid = make_grid(fish, choice);
  return plan_on(fish, grid, choice, samples);
}

Box box_of(const Fish& fish, double spacing) {
  return {.dim = joints, .lower = -fish.setup.domain, .upper = fish.setup.domain, .spacing = spacing};
}

/// Fills a box that is small enough, plans in it, and compares with the same level on demand.
void tell_filled(Report& report, const Fish& fish) {
  const GridChoice choice{.spacing = 0.6, .threshold = 0.6};
  const Box box = box_of(fish, choice.spacing);
  auto grid = make_grid(fish, choice);
  const int axis = static_cast<int>(std::lround((box.upper - box.lower) / box.spacing)) + 1;
  Eigen::VectorXd y;
  for (int i = 0; i < axis * axis * axis; ++i) {
    const Point<joints> corner(i % axis, i / axis % axis, i / (axis * axis));
    grid.evaluate(Point<joints>::Constant(box.lower) + box.spacing * corner, y);
  }
  const OnDemand filled = plan_on(fish, grid, choice, 5), on_demand = plan_on(fish, choice, 5);
  report.checks.push_back({"swimmer's stroke, a box of spacing 0.6 filled: as many evaluations as counted: " +
                               std::to_string(filled.evaluations),
                           static_cast<double>(filled.evaluations) == box.points()});
  report.checks.push_back({"swimmer's stroke, a box of spacing 0.6 filled: its plan costs what it costs on demand",
                           filled.cost == on_demand.cost && filled.error == on_demand.error});
}

/// As many iterations on every level of the grid.
OnDemand learn_on(const Fish& fish, const GridChoice& grid_choice, int iterations, int samples) {
  LearningChoice choice;
  choice.grid = grid_choice;
  choice.iterations = {iterations};
  auto grid = make_grid(fish, choice.grid);
  const LearnedPolicy learned = learn_through_grid(fish, grid, choice, first_learner(fish, choice));
  return {.evaluations = learned.evaluations,
          .seconds = learned.seconds,
          .seconds_in_function = learned.seconds_in_function,
          .error = policy_errors(fish, learned.solved, choice, learned.learner, samples).state,
          .finished = learned.finished};
}

}  // namespace

void tell_stroke(Report& report, bool quick) {
  const Fish fish = coarse_fish();
  const int samples = quick ? 20 : 100;
  tell(report, {.task = "swimmer's stroke",
                .box = box_of(fish, 0.075),
                .coarse_to_fine = "0.3 to 0.075",
                .one_level = plan_on(fish, {.spacing = 0.075, .threshold = 0.075}, samples),
                .interleaved = plan_on(fish, {.spacing = 0.3, .threshold = 0.1}, samples),
                .most_of_box = 0.1});
  tell_filled(report, fish);
}

void tell_policy_ablation(Report& report, bool quick) {
  if (!can_learn) {
    report.checks.push_back({"policy: learned; needs libtorch, without which this was built", false, false});
    return;
  }
  const Fish fish = coarse_fish();
  const int iterations = quick ? 10 : 60, samples = quick ? 32 : 128;
  tell(report, {.task = "swimmer's policy",
                .box = box_of(fish, 0.15),
                .coarse_to_fine = "0.6 to 0.15",
                .one_level = learn_on(fish, {.spacing = 0.15, .threshold = 0.15}, iterations, samples),
                .interleaved = learn_on(fish, {.spacing = 0.6, .threshold = 0.15}, iterations / 3, samples),
                .agreement = std::numeric_limits<double>::infinity()});
}

}  // namespace benchmarks
