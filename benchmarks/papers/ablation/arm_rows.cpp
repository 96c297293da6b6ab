// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/ablation/schemes.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"

namespace benchmarks {
namespace {

namespace laser = studies::laser;

OnDemand plan_on(const laser::Arm<3>& arm, const laser::GridChoice& choice, int samples) {
  laser::Surrogate<3> surrogate(arm, choice);
  const laser::Plan plan = plan_through_grid(arm, surrogate, choice);
  return {.evaluations = plan.evaluations,
          .seconds = plan.seconds,
          .seconds_in_function = surrogate.grid().statistics().seconds_in_function,
          .error = step_errors(arm, surrogate, plan, samples).state,
          .cost = plan.cost,
          .finished = plan.finished};
}

}  // namespace

void tell_arm(Report& report, bool quick) {
  const laser::Arm<3> arm;
  const int samples = quick ? 10 : 40;
  tell(report, {.task = "soft arm's plan",
                .box = {.dim = 4, .lower = arm.setup.lower, .upper = arm.setup.upper, .spacing = 0.125},
                .coarse_to_fine = "0.5 to 0.125",
                .one_level = plan_on(arm, {.spacing = 0.125, .threshold = 0.125}, samples),
                .interleaved = plan_on(arm, {.spacing = 0.5, .threshold = 0.2}, samples),
                .most_of_box = 0.01});
}

}  // namespace benchmarks
