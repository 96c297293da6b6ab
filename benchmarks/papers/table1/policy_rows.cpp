// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/table1/policy_rows.hpp"

#include "benchmarks/papers/table1/paper_row.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/swimmer_policy/policy_study.hpp"
#include "quoin/util/to_text.hpp"

#include <cmath>
#include <iostream>
#include <string>

namespace benchmarks {
namespace {

using namespace studies::stroke;
using studies::figures::format_number;

struct LearningWay {
  std::string name;
  GridChoice grid;
  int iterations = 120;
};

/// Reports one way of learning in two rows: an iteration that meets no new corner, as in the paper, and all
/// iterations with all corners.
void tell_way(Report& report, const Fish& fish, const LearningWay& way, int samples) {
  const int n = fish.setup.chain.mesh;
  LearningChoice choice;
  choice.grid = way.grid;
  choice.iterations = {way.iterations};
  AdaptiveGrid<joints> grid = make_grid(fish, choice.grid);
  studies::figures::Progress progress(std::cerr, "policy, " + way.name + ", iteration", 0, {.line_seconds = 20});
  const LearnedPolicy learned = learn_through_grid(
      fish, grid, choice, first_learner(fish, choice), [&](const LearningIteration& it, const planning::Learner&) {
        progress.update(it.ppo.iteration,
                        format_number(it.distance) + " m, " + to_text(it.evaluations) + " evaluations");
        return true;
      });
  const PolicyErrors errors = policy_errors(fish, learned.solved, choice, learned.learner, samples);
  progress.finish(to_text(learned.evaluations) + " evaluations, error " + format_number(errors.state));
  const LearningCost cost = cost_of(choice, learned, errors);
  const Swim swim = swim_on_grid(fish, learned.solved, choice, learned.learner.policy, fish.setup.steps);
  const double exact_step = choice.ppo.experience.threads * errors.seconds_exact;  // all cores take steps, each its own
  const std::string what = "policy, mesh n = " + to_text(n) + ", " + way.name;

  const auto row = [&](const std::string& part) {
    return studies::figures::ResultRow()
        .set("example", what + ", " + part)
        .set("N", joints + fish.setup.chain.links * (10 * n * n + 2))
        .set("swept", fish.water.output_size())
        .set("dim", joints)
        .set("exact_side", "extrapolated from " + to_text(errors.samples) + " steps");
  };
  report.results.add(row("an iteration")
                         .set("f_seconds", exact_step / 4)
                         .set("g_seconds", exact_step)
                         .set("g_surrogate_seconds", errors.seconds_surrogate)
                         .set("exact_evaluations_without", std::llround(cost.exact_evaluations()))
                         .set("wall_seconds_with", cost.iteration_seconds())
                         .set("acting_seconds", cost.acting_seconds)
                         .set("updating_seconds", cost.updating_seconds)
                         .set("wall_seconds_without", cost.exact_iteration_seconds())
                         .set("speed_up", cost.speed_up())
                         .set("relative_error", errors.state)
                         .set("mean_relative_error", errors.mean_state)
                         .set("change_relative_error", errors.change)
                         .set("integration_error", errors.integration));
  report.results.add(row("all " + format_number(cost.iterations))
                         .set("exact_evaluations_with", learned.evaluations)
                         .set("exact_evaluations_without", std::llround(cost.iterations * cost.exact_evaluations()))
                         .set("evaluation_ratio",
                              cost.iterations * cost.exact_evaluations() / static_cast<double>(learned.evaluations))
                         .set("exact_evaluations_as_paper_counts", std::llround(cost.iterations * cost.calls))
                         .set("evaluation_ratio_as_paper_counts",
                              cost.iterations * cost.calls / static_cast<double>(learned.evaluations))
                         .set("wall_seconds_with", cost.seconds)
                         .set("wall_seconds_without", cost.iterations * cost.exact_iteration_seconds())
                         .set("speed_up", cost.speed_up_with_corners())
                         .set("relative_error", errors.state)
                         .set("break_even_queries", grid.statistics().break_even_queries)
                         .set("distance", swim.distance));

  report.checks.push_back({what + ": learning came to its end: " + learned.stop, learned.finished});
  report.checks.push_back({what + ": swims forward, m in 4 s: " + format_number(swim.distance), swim.distance > 0});
  report.checks.push_back({what + ": at most 1973 corners at a relative error of at most 5e-5, the paper's: " +
                               to_text(learned.evaluations) + " at " + format_number(errors.state),
                           learned.evaluations <= paper_policy.corners && errors.state <= paper_policy.error});
  report.checks.push_back({what + ": an iteration at least 1590 times faster, the paper's; exact side extrapolated: " +
                               format_number(cost.speed_up()),
                           cost.speed_up() >= paper_policy.speed_up, false});
}

}  // namespace

void tell_policy(Report& report, bool quick) {
  report.results.add(paper_policy.row());
  if (!can_learn) {
    report.checks.push_back({"policy: learned; needs libtorch, without which this was built", false, false});
    return;
  }
  Setup setup;
  if (quick) setup.chain.mesh = 2;
  const Fish fish(setup);
  const GridChoice coarse{.spacing = 0.6, .threshold = 0.6};
  if (quick) {
    tell_way(report, fish, {"grid of 1-jets, spacing 0.6", coarse, 15}, 32);
    return;
  }
  // The paper's 0.3 to 0.075 meets a thousand new corners in every iteration on its finest
  // level (docs/notes/swimmer_policy.md).
  tell_way(report, fish, {"grid of 1-jets, spacing 0.3", {.spacing = 0.3, .threshold = 0.3}}, 256);
  tell_way(report, fish, {"grid of 1-jets, spacing 0.6", coarse}, 256);
}

}  // namespace benchmarks
