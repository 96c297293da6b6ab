// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/stroke_study.hpp"

#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/statistics.hpp"
#include "examples/studies/swimming/counted_water.hpp"
#include "examples/studies/swimming/potentials.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/robots/dynamics/control_memory.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace studies::stroke {
namespace {

using planning::IlqrOptions;
using planning::IlqrResult;
using studies::PlanRecorder;
using studies::Stopwatch;
using swimmer::AddedMass;
using swimmer::GeneralizedMass;
using swimmer::Motion;
using swimmer::SwimmerDynamics;
using swimmer::SwimmerDynamicsOptions;

template <class Water>
GeneralizedMass<joints, Water> mass_over(const Fish& fish, const Water& water) {
  return {fish.body, Motion::planar, water};
}

template <class Mass>
auto dynamics_of(const Fish& fish, Mass mass, SwimmerDynamicsOptions options) {
  options.time_step = fish.setup.time_step;
  return SwimmerDynamics<joints, Mass>(std::move(mass), Motion::planar, options);
}
template <class Mass>
auto dynamics_of(const Fish& fish, Mass mass) {
  return dynamics_of(fish, std::move(mass), {.integrator = fish.setup.integrator});
}

IlqrOptions planner_options(const Setup& setup) {
  IlqrOptions options;
  options.relative_tolerance = setup.relative_tolerance;
  options.check_curvature = false;  // as the paper counts: no masses in water beyond those that the plan itself takes
  options.max_iterations = setup.max_iterations;
  options.initial_regularization = setup.first_regularization;
  // With derivatives a step costs 7 to 15 times as much, on all sides.
  options.derivatives_in_trial = false;
  options.threads = cores();
  return options;
}

template <class Mass>
IlqrResult solve(const Fish& fish, const Mass& mass, const Eigen::MatrixXd& guess, const IlqrOptions& options) {
  const auto swim = dynamics_of(fish, mass);
  const ControlMemory dynamics(swim);
  const Eigen::VectorXd start = swim.rest_state(fish.setup.start);
  Eigen::VectorXd limit = Eigen::VectorXd::Constant(dynamics.state_size(), std::numeric_limits<double>::infinity());
  limit.head(joints).setConstant(fish.setup.joint_limit);
  const Eigen::VectorXd torque = Eigen::VectorXd::Constant(joints, fish.setup.largest_torque);
  const Residuals residuals(fish.setup, fish.body, start);
  const planning::TrajectoryProblem<const decltype(dynamics)&, const Residuals&> problem{
      .dynamics = dynamics,
      .residuals = residuals,
      .horizon = fish.setup.steps,
      .initial_state = dynamics.join(start, Eigen::VectorXd::Zero(joints)),
      .lower_control = -torque,
      .upper_control = torque,
      .lower_state = -limit,
      .upper_state = limit};
  return planning::ilqr(problem, guess, options);
}

void complete(const Fish& fish, const IlqrResult& last, Plan& plan) {
  plan.states = last.trajectory.states.topRows(last.trajectory.states.rows() - joints);
  plan.distance = fish.distance(plan.states);
  plan.largest_angle = plan.points.size() > 0 ? plan.points.cwiseAbs().maxCoeff() : 0;
}

GridOptions<joints> grid_options(const Setup& setup, double spacing) {
  GridOptions<joints> options;
  const double cells = std::ceil(setup.domain / spacing - 1e-9);
  options.spacing.setConstant(spacing);
  options.lower.setConstant(-cells * spacing);
  options.upper.setConstant(cells * spacing);
  return options;
}

Eigen::MatrixXd zero_torques(const Setup& setup) { return Eigen::MatrixXd::Zero(joints, setup.steps); }

[[noreturn]] void step_failed(const char* which, Eigen::Index i, StepStatus status) {
  throw std::runtime_error(std::string("the ") + which + " step " + to_text(i) + " failed: " + to_string(status));
}

}  // namespace

Fish::Fish(const Setup& s) : Fish(s, swimmer::ellipsoid_chain(s.chain)) {}

Fish::Fish(const Setup& s, swimmer::Swimmer b) : setup(s), body(std::move(b)), water(body, Motion::planar) {}

double Fish::distance(const Eigen::MatrixXd& states) const {
  const CentreOfMass centre(body);
  return centre(states.rightCols<1>()).x() - centre(states.col(0)).x();
}

Eigen::VectorXd water_weights(const swimmer::Swimmer& fish) {
  const auto& link = fish.inertia(0);
  const double radius = std::sqrt(link.inertia(2, 2) / link.mass);
  const int rows = 3 * fish.links();
  Eigen::VectorXd weights(swimmer::packed_size(rows));
  const auto unit = [&](int i) { return i % 3 == 0 ? radius : 1.0; };  // unit of a twist's component
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i <= j; ++i) weights[swimmer::packed_index(i, j)] = 1 / (link.mass * unit(i) * unit(j));
  return weights / std::sqrt(static_cast<double>(weights.size()));
}

AdaptiveGrid<joints> make_grid(const Fish& fish, const GridChoice& choice) {
  GridOptions<joints> options = grid_options(fish.setup, choice.spacing);
  options.evaluate_ahead = choice.evaluate_ahead;
  if (choice.potentials) {
    if (choice.tolerance > 0) throw std::invalid_argument("make_grid: a tolerance is of the added mass");
    return AdaptiveGrid<joints>(Potentials(fish.water.flow()), options, Threads{choice.threads});
  }
  options.output_weights = water_weights(fish.body);
  return AdaptiveGrid<joints>(fish.water, options, Threads{choice.threads});
}

IlqrResult solve_on_grid(const Fish& fish, const GridView<joints>& added_mass, const Eigen::MatrixXd& guess,
                         const IlqrOptions& options) {
  return solve(fish, mass_over(fish, added_mass), guess, options);
}

PlanOnGrid plan_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const GridChoice& choice,
                             const PlanObserver& observer) {
  PlanOnGrid result{.plan = {}, .solved = grid.at_level(0)};
  result.plan.name = "grid";
  PlanRecorder recorder(
      result.plan, joints, [&] { return static_cast<long>(grid.statistics().exact_evaluations); }, observer);
  std::optional<GridView<joints>> fluxes;
  if (choice.potentials) fluxes = grid.linear_output(Fluxes(fish.water.flow()).functional());
  IlqrResult last;
  int round = 0;
  const auto solver = [&](const GridView<joints>& view, const Eigen::MatrixXd& guess) {
    IlqrOptions options = planner_options(fish.setup);
    options.multipliers = last.multipliers;
    options.observer = recorder.observe(round++);
    result.solved = view;
    last = fluxes ? solve(fish, MassFromFluxes(fish.body, fluxes->at_resolution_of(view)), guess, options)
                  : solve(fish, mass_over(fish, view), guess, options);
    return SolverResult<Eigen::MatrixXd>{last.trajectory.controls, last.trajectory.cost, last.converged()};
  };
  GridSchedule<joints, Eigen::MatrixXd> schedule = levels_for(choice.spacing, choice.threshold);
  if (choice.tolerance > 0) schedule = Tolerances{.first = choice.tolerance, .last = choice.tolerance};
  const auto outcome =
      interleave(grid, solver, zero_torques(fish.setup),
                 {.schedule = schedule,
                  .points = [&](const Eigen::MatrixXd&) -> Eigen::MatrixXd {
                    if (last.trajectory.states.size() == 0) return Eigen::MatrixXd(joints, 0);
                    return last.trajectory.states.topRows(joints);
                  },
                  .observer = [&](const Round&, const Eigen::MatrixXd&) { return !recorder.stopped(); }});
  recorder.finish(last, outcome.stop == InterleaveStop::converged, outcome.message);
  complete(fish, last, result.plan);
  return result;
}

PlanOnKernel plan_through_kernel(const Fish& fish, const KernelChoice& choice, const PlanObserver& observer) {
  struct Iterate {
    Eigen::MatrixXd controls, points;
    bool all_finite() const { return controls.allFinite() && points.allFinite(); }
  };
  Plan plan;
  plan.name = "kernel";
  const auto grid = make_grid(fish, {.spacing = choice.spacing});
  KernelSurrogate<joints, GridView<joints>> kernel(grid.at_level(0),
                                                   {.length_scale = Point<joints>::Constant(choice.length_scale),
                                                    .lower = Point<joints>::Constant(-fish.setup.domain),
                                                    .upper = Point<joints>::Constant(fish.setup.domain)});
  PlanRecorder recorder(
      plan, joints, [&] { return static_cast<long>(grid.statistics().exact_evaluations); }, observer);
  IlqrResult last;
  int round = 0;
  const auto solver = [&](const KernelView<joints>& view, const Iterate& guess) {
    IlqrOptions options = planner_options(fish.setup);
    options.multipliers = last.multipliers;
    options.observer = recorder.observe(round++);
    last = solve(fish, mass_over(fish, view), guess.controls, options);
    return SolverResult<Iterate>{
        {last.trajectory.controls, last.trajectory.states.topRows(joints)}, last.trajectory.cost, last.converged()};
  };
  const KernelSchedule<Iterate> schedule{.points = [](const Iterate& iterate) { return iterate.points; },
                                         .stages = choice.stages};
  const Iterate guess{zero_torques(fish.setup), fish.setup.start};
  const auto outcome =
      interleave(kernel, solver, guess,
                 {.schedule = schedule, .observer = [&](const Round&, const Iterate&) { return !recorder.stopped(); }});
  recorder.finish(last, outcome.stop == InterleaveStop::converged, outcome.message);
  complete(fish, last, plan);
  return {std::move(plan), kernel.view()};
}

Plan plan_on_exact(const Fish& fish, const PlanObserver& observer) {
  Plan plan;
  plan.name = "exact";
  const CountedWater water(fish.water);
  PlanRecorder recorder(
      plan, joints, [&] { return water.count(); }, observer);
  IlqrOptions options = planner_options(fish.setup);
  options.observer = recorder.observe(0);
  const IlqrResult last = solve(fish, mass_over(fish, water), zero_torques(fish.setup), options);
  recorder.finish(last, last.converged());
  complete(fish, last, plan);
  return plan;
}

namespace {

template <class Mass>
StepErrors step_errors_of(const Fish& fish, const Mass& mass, const Plan& plan, int samples) {
  const auto exact = dynamics_of(fish, mass_over(fish, fish.water));
  const auto surrogate = dynamics_of(fish, mass);
  StepErrors errors;
  Eigen::VectorXd next, next_surrogate;
  Eigen::MatrixXd dx, du, dx_surrogate, du_surrogate;
  double seconds = 0, seconds_derivatives = 0;
  for (int s = 0; s < samples; ++s) {
    const Eigen::Index i = (plan.controls.cols() - 1) * s / std::max(samples - 1, 1);
    const Eigen::VectorXd x = plan.states.col(i), u = plan.controls.col(i);
    const Stopwatch value;
    if (const auto status = exact.step(x, u, next); status != StepStatus::ok) step_failed("exact", i, status);
    seconds += value.seconds();
    const Stopwatch derivatives;
    exact.step(x, u, next, dx, du);
    seconds_derivatives += derivatives.seconds();
    if (const auto status = surrogate.step(x, u, next_surrogate, dx_surrogate, du_surrogate); status != StepStatus::ok)
      step_failed("surrogate", i, status);
    const double difference = (next - next_surrogate).norm();
    errors.state = std::max(errors.state, difference / next.norm());
    errors.change = std::max(errors.change, difference / (next - x).norm());
    const double jacobian = std::hypot((dx - dx_surrogate).norm(), (du - du_surrogate).norm());
    errors.jacobian = std::max(errors.jacobian, jacobian / std::hypot(dx.norm(), du.norm()));
  }
  errors.seconds_exact = seconds / samples;
  errors.seconds_exact_derivatives = seconds_derivatives / samples;

  std::vector<double> value_seconds, derivative_seconds;
  for (int pass = 0; pass < 7; ++pass) {
    const double steps = static_cast<double>(plan.controls.cols());
    const Stopwatch value;
    for (Eigen::Index i = 0; i < plan.controls.cols(); ++i)
      surrogate.step(plan.states.col(i), plan.controls.col(i), next);
    value_seconds.push_back(value.seconds() / steps);
    const Stopwatch derivatives;
    for (Eigen::Index i = 0; i < plan.controls.cols(); ++i)
      surrogate.step(plan.states.col(i), plan.controls.col(i), next, dx, du);
    derivative_seconds.push_back(derivatives.seconds() / steps);
  }
  errors.seconds_surrogate = studies::median(value_seconds);
  errors.seconds_surrogate_derivatives = studies::median(derivative_seconds);
  return errors;
}

}  // namespace

template <class View>
StepErrors step_errors(const Fish& fish, const View& water, const Plan& plan, int samples) {
  return step_errors_of(fish, mass_over(fish, water), plan, samples);
}

StepErrors step_errors_of_potentials(const Fish& fish, const GridView<joints>& potentials, const Plan& plan,
                                     int samples, bool by_functional) {
  const Fluxes fluxes(fish.water.flow());
  if (by_functional)
    return step_errors_of(fish, MassFromFluxes(fish.body, potentials.linear_output(fluxes.functional())), plan,
                          samples);
  return step_errors_of(fish, MassFromFluxes(fish.body, SweptFluxes(fluxes, potentials)), plan, samples);
}

double integration_error(const Fish& fish, const GridView<joints>& water, const Plan& plan,
                         swimmer::Integrator integrator, int substeps) {
  const auto coarse = dynamics_of(fish, mass_over(fish, water), {.substeps = substeps, .integrator = integrator});
  const auto fine = dynamics_of(fish, mass_over(fish, water), {.substeps = 16});
  double largest = 0;
  Eigen::VectorXd next, truth;
  for (Eigen::Index i = 0; i < plan.controls.cols(); ++i) {
    const Eigen::VectorXd x = plan.states.col(i), u = plan.controls.col(i);
    if (const auto status = coarse.step(x, u, next); status != StepStatus::ok) step_failed("coarse", i, status);
    if (const auto status = fine.step(x, u, truth); status != StepStatus::ok) step_failed("fine", i, status);
    largest = std::max(largest, (next - truth).norm() / truth.norm());
  }
  return largest;
}

template StepErrors step_errors(const Fish&, const GridView<joints>&, const Plan&, int);
template StepErrors step_errors(const Fish&, const KernelView<joints>&, const Plan&, int);

}  // namespace studies::stroke
