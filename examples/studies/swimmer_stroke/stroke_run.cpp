// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_stroke/stroke_run.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/plans/plan_watch.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "examples/studies/swimmer_stroke/own_link.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <utility>

namespace studies::stroke {
namespace {

using studies::iterations_of_round;
using studies::PlanWatch;

using swimmer::Motion;

Fish ellipsoids(int mesh) {
  Setup setup;
  setup.chain.mesh = mesh;
  return Fish(setup);
}

void take_as_measured(PlannerResult& result) {
  result.seconds = result.plan.seconds;
  result.evaluations = static_cast<double>(result.plan.evaluations);
}

/// Extrapolates a planner that its budget cut to `wanted` iterations. The rollout before the first is counted once.
void extrapolate(PlannerResult& result, int wanted, const std::string& whose) {
  take_as_measured(result);
  if (result.plan.finished || result.plan.stop != "stopped by observer") return;
  const int done = iterations_of_round(result.plan, 0);
  if (done == 0 || wanted <= done) {
    result.extrapolated = "a lower bound: cut by its budget after " + to_text(done) + " iterations";
    return;
  }
  const PlanIteration& start = result.plan.log.front();
  const double factor = static_cast<double>(wanted) / done;
  result.seconds = start.seconds + factor * (result.seconds - start.seconds);
  const double begun = static_cast<double>(start.evaluations);
  result.evaluations = begun + factor * (result.evaluations - begun);
  result.iterations_wanted = wanted;
  result.extrapolated = "extrapolated from " + to_text(done) + (done == 1 ? " iteration" : " iterations") + " to the " +
                        to_text(wanted) + " of " + whose;
}

PlannerResult through_grid(const Fish& fish, const GridChoice& choice, int samples, const std::string& key,
                           const std::string& name) {
  PlanWatch watch(name);
  AdaptiveGrid<joints> grid = make_grid(fish, choice);
  PlanOnGrid planned = plan_through_grid(fish, grid, choice, watch.observer());
  watch.finish(planned.plan);
  PlannerResult result{
      .key = key, .name = name, .vertices = fish.water.flow().flow().vertices(), .plan = std::move(planned.plan)};
  take_as_measured(result);
  result.grid = GridResult{.choice = choice, .solved = planned.solved, .statistics = grid.statistics()};
  if (samples > 0 && result.plan.states.cols() > 1) {
    figures::Progress progress(std::cerr, name + ", errors of steps", 0);
    result.grid->errors = step_errors(fish, planned.solved, result.plan, samples);
    progress.finish();
  }
  return result;
}

/// Replays the same torques on the boundary elements themselves.
Replay replay_on_exact(const Fish& fish, const Plan& plan) {
  const studies::Stopwatch watch;
  using Mass = swimmer::GeneralizedMass<joints, swimmer::AddedMass<joints>>;
  const swimmer::SwimmerDynamics<joints, Mass> swim(Mass(fish.body, Motion::planar, fish.water), Motion::planar,
                                                    {.time_step = fish.setup.time_step});
  const Eigen::Index steps = plan.controls.cols();
  const Eigen::VectorXd start = swim.rest_state(fish.setup.start);
  const Residuals residuals(fish.setup, fish.body, start);
  Replay replay;
  replay.states.resize(start.size(), steps + 1);
  replay.states.col(0) = start;
  figures::Progress progress(std::cerr, "replay on boundary elements, steps", steps);
  Eigen::VectorXd state(start.size() + joints), residual, next;
  for (Eigen::Index i = 0; i < steps; ++i) {
    const Eigen::VectorXd torque = plan.controls.col(i);
    state << replay.states.col(i), (i > 0 ? Eigen::VectorXd(plan.controls.col(i - 1)) : Eigen::VectorXd::Zero(joints));
    residuals.residual(static_cast<int>(i), state, torque, residual);
    replay.cost += 0.5 * residual.squaredNorm();
    if (const StepStatus status = swim.step(replay.states.col(i), torque, next); status != StepStatus::ok)
      throw std::runtime_error("the plan cannot be replayed on boundary elements: step " + to_text(i) + ", " +
                               to_string(status));
    replay.states.col(i + 1) = next;
    progress.update(i + 1);
  }
  state << next, plan.controls.col(steps - 1);
  residuals.residual(static_cast<int>(steps), state, {}, residual);
  replay.cost += 0.5 * residual.squaredNorm();
  replay.distance = fish.distance(replay.states);
  replay.largest_angle_difference = (replay.states.topRows(joints) - plan.states.topRows(joints)).cwiseAbs().maxCoeff();
  replay.evaluations = 4 * steps;
  replay.seconds = watch.seconds();
  progress.finish();
  return replay;
}

struct EvaluationCost {
  double seconds = 0;  ///< of f and its Jacobian with the first swimmer, median
  double ratio = 1;    ///< relative to the second swimmer, median of ratios
};

/// Measured alternately, so that other load of the machine affects both alike.
EvaluationCost evaluation_cost(const Fish& fish, const Fish& other, const Plan& plan) {
  constexpr int turns = 5;
  std::vector<double> seconds, ratios;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const auto spent = [&](const Fish& who, const Point<joints>& q) {
    const studies::Stopwatch watch;
    who.water.evaluate(q, y, J);
    return watch.seconds();
  };
  for (int turn = 0; turn < turns; ++turn) {
    const Point<joints> q = plan.points.col(turn * (plan.points.cols() - 1) / turns);
    seconds.push_back(spent(fish, q));
    ratios.push_back(seconds.back() / spent(other, q));
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + turns / 2, values.end());
    return values[turns / 2];
  };
  return {median(seconds), median(ratios)};
}

std::string mesh_name(const ProgramOptions& options, int mesh) {
  return options.link.empty() ? "n=" + to_text(mesh) : options.link.filename().string();
}

}  // namespace

std::string spacings(const GridChoice& choice) {
  if (choice.tolerance > 0) return to_text(choice.spacing) + ", tolerance " + to_text(choice.tolerance);
  const int last = levels_for(choice.spacing, choice.threshold).last;
  return to_text(choice.spacing) + (last > 0 ? " to " + to_text(std::ldexp(choice.spacing, -last)) : "");
}

StrokeResult run_stroke(const ProgramOptions& options) {
  const Setup setup;
  StrokeResult result{.fish = options.link.empty() ? ellipsoids(options.mesh)
                                                   : Fish(setup, swimmer_of(options.link, options.gap, setup))};
  const int samples = options.quick ? 5 : 10;
  const std::string mesh = mesh_name(options, options.mesh);
  result.planners.push_back(
      through_grid(result.fish, options.grid, samples, "grid", "grid h=" + spacings(options.grid) + ", " + mesh));
  const GridChoice one_level{.spacing = 0.6, .threshold = 0.6};
  result.planners.push_back(
      through_grid(result.fish, one_level, samples, "grid_one_level", "grid h=" + spacings(one_level) + ", " + mesh));
  result.seconds_per_evaluation = evaluation_cost(result.fish, result.fish, result.grid().plan).seconds;
  if (result.grid().plan.states.cols() > 1)
    result.planners.front().replay = replay_on_exact(result.fish, result.grid().plan);

  if (options.exact_seconds > 0) {
    const bool same = !options.link.empty() || options.exact_mesh == options.mesh;
    const Fish fish = same ? result.fish : ellipsoids(options.exact_mesh);
    const std::string exact_mesh = mesh_name(options, options.exact_mesh);
    if (!same)
      result.planners.push_back(through_grid(fish, options.grid, samples, "grid_as_exact",
                                             "grid h=" + spacings(options.grid) + ", " + exact_mesh));
    const PlannerResult& alike = same ? result.grid() : result.planners.back();
    const int wanted = iterations_of_round(alike.plan, 0);
    const double ratio = same ? 1 : evaluation_cost(result.fish, fish, alike.plan).ratio;
    PlannerResult exact{
        .key = "exact", .name = "exact, " + exact_mesh, .vertices = fish.water.flow().flow().vertices()};
    PlanWatch watch(exact.name, options.exact_seconds);
    exact.plan = plan_on_exact(fish, watch.observer());
    watch.finish(exact.plan);
    extrapolate(exact, wanted, "the same planner on level 0 of the grid");
    result.exact_seconds = exact.seconds * ratio;
    result.planners.push_back(std::move(exact));
  }
  return result;
}

}  // namespace studies::stroke
