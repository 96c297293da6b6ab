// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/table1/swimmer_rows.hpp"

#include "benchmarks/papers/table1/paper_row.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>

namespace benchmarks {
namespace {

using namespace studies::stroke;
using studies::figures::format_number;
using swimmer::Integrator;

constexpr int per_derivative = 1 + 2 * joints;  // evaluations: one, and central differences for second derivatives

struct SwimmerWay {
  std::string name;
  std::variant<GridChoice, KernelChoice> choice;

  const GridChoice* grid() const { return std::get_if<GridChoice>(&choice); }
  bool one_level() const { return grid() && !(grid()->tolerance > 0) && grid()->threshold >= grid()->spacing; }
  bool potentials() const { return grid() && grid()->potentials; }
};

std::vector<SwimmerWay> all_ways() {
  return {
      {"grid of 1-jets, spacing 0.3 to 0.075 (the paper's)", GridChoice{}},
      {"grid of 1-jets, spacing 0.3", GridChoice{.spacing = 0.3, .threshold = 0.3}},
      {"grid of 1-jets, spacing 0.4", GridChoice{.spacing = 0.4, .threshold = 0.4}},
      {"grid of 1-jets, spacing 0.6", GridChoice{.spacing = 0.6, .threshold = 0.6}},
      {"grid of 1-jets, spacing 0.6, tolerance 1e-4", GridChoice{.spacing = 0.6, .threshold = 0.6, .tolerance = 1e-4}},
      {"kernel of 1-jets", KernelChoice{.length_scale = 2, .stages = {{3e-2, 3e-1}, {1e-3, 1e-2}, {1e-4, 1e-3}}}},
      {"grid of Eq. 10's potentials, spacing 0.3 to 0.075 (the paper's)", GridChoice{.potentials = true}}};
}

/// With steps of Eq. 4: on our grid, and on that of Eq. 10, which is the paper's own system.
std::vector<SwimmerWay> ways_with_eq4() {
  return {{"Eq. 4, grid of 1-jets, spacing 0.3 to 0.075 (the paper's)", GridChoice{}},
          {"Eq. 4, grid of Eq. 10's potentials, spacing 0.3 to 0.075 (the paper's own system)",
           GridChoice{.potentials = true}}};
}

/// The result of planning one way.
struct Planned {
  Plan plan = {};
  std::vector<double> seconds = {};
  StepErrors errors = {};
  Eigen::Index swept = 0;                                                   // numbers that a query sweeps
  double seconds_by_functional = std::numeric_limits<double>::quiet_NaN();  // a step with the potentials' fluxes alone
  double break_even = std::numeric_limits<double>::quiet_NaN();
  std::optional<GridView<joints>> solved = {};  // of a grid: the view of the last solve
};

/// samples: steps of the plan at which errors are taken; 0: none.
void plan_along(const Fish& fish, const SwimmerWay& way, int samples, Planned& planned) {
  if (const GridChoice* choice = way.grid()) {
    auto grid = make_grid(fish, *choice);
    auto result = plan_through_grid(fish, grid, *choice);
    planned.plan = std::move(result.plan);
    planned.break_even = grid.statistics().break_even_queries;
    planned.swept = result.solved.output_size();
    if (samples > 0 && choice->potentials) {
      planned.errors = step_errors_of_potentials(fish, result.solved, planned.plan, samples);
      planned.seconds_by_functional =
          step_errors_of_potentials(fish, result.solved, planned.plan, 1, true).seconds_surrogate;
    } else if (samples > 0) {
      planned.errors = step_errors(fish, result.solved, planned.plan, samples);
    }
    planned.solved = result.solved;
  } else {
    auto result = plan_through_kernel(fish, std::get<KernelChoice>(way.choice));
    planned.plan = std::move(result.plan);
    planned.swept = result.solved.output_size();
    if (samples > 0) planned.errors = step_errors(fish, result.solved, planned.plan, samples);
  }
  planned.seconds.push_back(planned.plan.seconds);
}

/// Evaluations of the flow in a step without derivatives.
int per_step(const Fish& fish) { return fish.setup.integrator == Integrator::second_difference ? 1 : 4; }

/// Evaluations of the flow while planning: those of rollouts are sequential, those of
/// derivatives are shared by all cores.
struct FlowWork {
  double in_rollouts = 0, in_derivatives = 0;

  double evaluations() const { return in_rollouts + in_derivatives; }
  double seconds(const FlowWork& seconds_each) const {
    return in_rollouts * seconds_each.in_rollouts + in_derivatives * seconds_each.in_derivatives;
  }
};

/// A plan on exact dynamics, to convergence or stopped early.
struct ExactSide {
  Plan plan;
  FlowWork work, seconds_each;

  ExactSide(const Fish& fish, int most_iterations) {
    studies::figures::Progress progress(std::cerr, "swimmer on the flow, n = " + to_text(fish.setup.chain.mesh), 0,
                                        {.line_seconds = 20});
    plan = plan_on_exact(fish, [&](const PlanIteration& it) {
      progress.update(it.iteration, "cost " + format_number(it.cost) + ", " + to_text(it.evaluations) + " evaluations");
      return most_iterations == 0 || it.iteration < most_iterations;
    });
    progress.finish(plan.stop + ", cost " + format_number(plan.cost) + ", " + to_text(plan.evaluations) +
                    " evaluations, " + format_number(plan.seconds) + " s, " + format_number(plan.distance) + " m");
    const PlanIteration& rollout = plan.log.front();  // only the rollout of the initial torques
    work.in_derivatives = static_cast<double>(iterations()) * fish.setup.steps * per_step(fish) * per_derivative;
    work.in_rollouts = static_cast<double>(plan.evaluations) - work.in_derivatives;
    seconds_each.in_rollouts = rollout.seconds / static_cast<double>(rollout.evaluations);
    seconds_each.in_derivatives = (plan.seconds - work.in_rollouts * seconds_each.in_rollouts) / work.in_derivatives;
  }
  long iterations() const { return std::ssize(plan.log) - 1; }
};

/// Costs of planning on exact dynamics, measured or extrapolated.
struct ExactCost {
  std::string how;
  double evaluations = 0, seconds = 0;
  double evaluations_without_differences = 0;
  double evaluations_as_paper_counts = 0;  // no differences; Jacobians are those that the rollouts met
  double seconds_first_order = 0;          // if second derivatives of the mass came with the first ones, at no cost
  long iterations = 0;
};

ExactCost cost_of(const std::string& how, const FlowWork& work, const FlowWork& seconds_each, long iterations) {
  const FlowWork first_order{work.in_rollouts, work.in_derivatives / per_derivative};
  return {.how = how,
          .evaluations = work.evaluations(),
          .seconds = work.seconds(seconds_each),
          .evaluations_without_differences = first_order.evaluations(),
          .evaluations_as_paper_counts = work.in_rollouts,
          .seconds_first_order = first_order.seconds(seconds_each),
          .iterations = iterations};
}

/// The work of a plan of `iterations` iterations, extrapolated from that of a few.
FlowWork extrapolate(const ExactSide& few, long iterations) {
  const double factor = static_cast<double>(iterations) / static_cast<double>(few.iterations());
  const auto first = static_cast<double>(few.plan.log.front().evaluations);
  return {first + factor * (few.work.in_rollouts - first), factor * few.work.in_derivatives};
}

/// One mesh: the ways of planning, and the plan on exact dynamics they are compared with.
struct Rows {
  const Fish& fish;
  const std::vector<SwimmerWay>& ways;
  const std::vector<Planned>& planned;
  ExactCost cost;
  const Plan* exact = nullptr;  // complete; null if there is none at this mesh

  std::string swimmer() const { return "swimmer, mesh n = " + to_text(fish.setup.chain.mesh) + ", "; }
  double speed_up(const Planned& p) const { return cost.seconds / median(p.seconds); }

  void tell(Report& report) const {
    for (std::size_t w = 0; w < ways.size(); ++w) tell_way(report, ways[w], planned[w]);
    if (std::any_of(ways.begin(), ways.end(), [](const SwimmerWay& way) { return way.one_level(); }))
      tell_corners(report);
  }

  void tell_way(Report& report, const SwimmerWay& way, const Planned& p) const {
    const int n = fish.setup.chain.mesh;
    report.results.add(
        studies::figures::ResultRow()
            .set("example", swimmer() + way.name)
            .set("N", joints + fish.setup.chain.links * (10 * n * n + 2))
            .set("swept", p.swept)
            .set("dim", joints)
            .set("f_seconds", p.errors.seconds_exact / per_step(fish))
            .set("g_seconds", p.errors.seconds_exact)
            .set("g_surrogate_seconds", p.errors.seconds_surrogate)
            .set("g_surrogate_seconds_by_functional", p.seconds_by_functional)
            .set("g_derivatives_seconds", p.errors.seconds_exact_derivatives)
            .set("g_surrogate_derivatives_seconds", p.errors.seconds_surrogate_derivatives)
            .set("exact_evaluations_with", p.plan.evaluations)
            .set("exact_evaluations_without", std::llround(cost.evaluations))
            .set("evaluation_ratio", cost.evaluations / static_cast<double>(p.plan.evaluations))
            .set("exact_evaluations_without_differences", std::llround(cost.evaluations_without_differences))
            .set("evaluation_ratio_without_differences",
                 cost.evaluations_without_differences / static_cast<double>(p.plan.evaluations))
            .set("exact_evaluations_as_paper_counts", std::llround(cost.evaluations_as_paper_counts))
            .set("evaluation_ratio_as_paper_counts",
                 cost.evaluations_as_paper_counts / static_cast<double>(p.plan.evaluations))
            .set("wall_seconds_with", median(p.seconds))
            .set("wall_seconds_without", cost.seconds)
            .set("exact_side", cost.how)
            .set("speed_up", speed_up(p))
            .set("speed_up_first_order", cost.seconds_first_order / median(p.seconds))
            .set("relative_error", p.errors.state)
            .set("change_relative_error", p.errors.change)
            .set("jacobian_relative_error", p.errors.jacobian)
            .set("break_even_queries", p.break_even)
            .set("distance", p.plan.distance)
            .set("distance_without", exact ? exact->distance : std::numeric_limits<double>::quiet_NaN())
            .set("cost_with", p.plan.cost)
            .set("cost_without", exact ? exact->cost : std::numeric_limits<double>::quiet_NaN())
            .set("iterations_with", p.plan.log.size())
            .set("iterations_without", cost.iterations));
    const std::string what = swimmer() + way.name + ": ";
    report.checks.push_back({what + "the planner converged: " + p.plan.stop, p.plan.finished});
    if (exact) {
      const double difference = std::abs(p.plan.cost / exact->cost - 1);
      report.checks.push_back({what + "the plan costs what the exact plan costs, to 1e-4: " + format_number(difference),
                               difference < 1e-4, way.grid() != nullptr});
    }
    report.checks.push_back({what + "relative error of g~ at most 2e-5, the paper's: " + format_number(p.errors.state),
                             p.errors.state <= paper_swimmer.error, false});
    report.checks.push_back(
        {what + "a step on the surrogate takes at most 50 us: " + format_number(1e6 * p.errors.seconds_surrogate),
         p.errors.seconds_surrogate <= 50e-6, false});
    report.checks.push_back({what + "at least 190 times faster than on the flow, the paper's; exact side " + cost.how +
                                 ": " + format_number(speed_up(p)),
                             speed_up(p) >= paper_swimmer.speed_up, false});
  }

  /// The fewest corners with which one level comes within the paper's error.
  void tell_corners(Report& report) const {
    const Planned* best = nullptr;
    for (std::size_t w = 0; w < ways.size(); ++w)
      if (ways[w].one_level() && planned[w].errors.state <= paper_swimmer.error &&
          (!best || planned[w].plan.evaluations < best->plan.evaluations))
        best = &planned[w];
    report.checks.push_back(
        {swimmer() + "one level with at most 732 corners at a relative error of at most 2e-5, the paper's: " +
             (best ? to_text(best->plan.evaluations) + " at " + format_number(best->errors.state) : "none"),
         best && best->plan.evaluations <= paper_swimmer.corners});
  }
};

/// Checks that RK4 is the cheapest scheme that meets the error required of g~.
void tell_integrators(Report& report, const Fish& fish, const Planned& planned) {
  const auto error = [&](Integrator integrator, int substeps) {
    return integration_error(fish, *planned.solved, planned.plan, integrator, substeps);
  };
  const double rk4 = error(Integrator::rk4, 1), midpoint = error(Integrator::midpoint, 1),
               halves = error(Integrator::midpoint, 2), eq4 = error(Integrator::second_difference, 1);
  report.checks.push_back({"swimmer: RK4 is the cheapest scheme within 2e-5 of the motion, per step of 0.02 s; RK4 " +
                               format_number(rk4) + ", midpoint rule " + format_number(midpoint) +
                               ", twice at half the step " + format_number(halves) + ", Eq. 4 " + format_number(eq4),
                           rk4 <= paper_swimmer.error && std::min({midpoint, halves, eq4}) > paper_swimmer.error});
}

std::vector<Planned> plan_all(const Fish& fish, const std::vector<SwimmerWay>& ways, int samples) {
  std::vector<Planned> planned(ways.size());
  for (std::size_t w = 0; w < ways.size(); ++w) plan_along(fish, ways[w], samples, planned[w]);
  return planned;
}

/// A swimmer on whose flow the planner runs two iterations, extrapolated to as many as the last way took.
void tell_cut(Report& report, const Fish& fish, const std::vector<SwimmerWay>& ways) {
  const std::vector<Planned> planned = plan_all(fish, ways, 20);
  const ExactSide cut(fish, 2);
  const long iterations = std::ssize(planned.back().plan.log) - 1;
  const ExactCost cost = cost_of("extrapolated from 2 iterations to as many as the last grid took",
                                 extrapolate(cut, iterations), cut.seconds_each, iterations);
  Rows{.fish = fish, .ways = ways, .planned = planned, .cost = cost}.tell(report);
  if (fish.setup.integrator == Integrator::rk4) tell_integrators(report, fish, planned.front());
}

/// A swimmer that is planned on the flow to the end, and every way before and after it.
FlowWork tell_complete(Report& report, const Fish& fish, const std::vector<SwimmerWay>& ways) {
  std::vector<Planned> planned = plan_all(fish, ways, 100);
  const ExactSide complete(fish, 0);
  if (!complete.plan.finished)
    throw std::runtime_error("the swimmer's plan on the flow did not converge: " + complete.plan.stop);
  for (std::size_t w = 0; w < ways.size(); ++w) plan_along(fish, ways[w], 0, planned[w]);
  Rows{.fish = fish,
       .ways = ways,
       .planned = planned,
       .cost = cost_of("measured", complete.work, complete.seconds_each, complete.iterations()),
       .exact = &complete.plan}
      .tell(report);
  if (fish.setup.integrator == Integrator::rk4) tell_integrators(report, fish, planned.front());
  return complete.work;
}

/// A swimmer of which one iteration on the flow is measured, and the work is that of a coarser one.
void tell_extrapolated(Report& report, const Fish& fish, const std::vector<SwimmerWay>& ways, const FlowWork& work) {
  const std::vector<Planned> planned = plan_all(fish, ways, 10);
  const ExactSide cut(fish, 1);
  const auto iterations =
      static_cast<long>(std::lround(work.in_derivatives / (fish.setup.steps * per_step(fish) * per_derivative)));
  Rows{.fish = fish,
       .ways = ways,
       .planned = planned,
       .cost = cost_of("extrapolated from 1 iteration to the work at n = 2", work, cut.seconds_each, iterations)}
      .tell(report);
}

}  // namespace

void tell_swimmer(Report& report, bool quick) {
  report.results.add(paper_swimmer.row());
  Setup fine, coarse, fine_with_eq4, coarse_with_eq4;
  coarse.chain.mesh = coarse_with_eq4.chain.mesh = 2;
  fine_with_eq4.integrator = coarse_with_eq4.integrator = Integrator::second_difference;

  const std::vector<SwimmerWay> ways = all_ways();
  if (quick) {
    tell_cut(report, Fish(coarse), {ways[0], ways[2], ways[3]});
    tell_cut(report, Fish(coarse_with_eq4), {ways_with_eq4().back()});
    return;
  }
  const FlowWork work = tell_complete(report, Fish(coarse), ways);
  const FlowWork work_with_eq4 = tell_complete(report, Fish(coarse_with_eq4), ways_with_eq4());
  tell_extrapolated(report, Fish(fine), ways, work);
  tell_extrapolated(report, Fish(fine_with_eq4), {ways_with_eq4().back()}, work_with_eq4);
}

}  // namespace benchmarks
