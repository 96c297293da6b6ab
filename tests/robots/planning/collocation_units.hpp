// SPDX-License-Identifier: BSD-3-Clause
// A problem of collocation in other units of states, controls, time and cost, and its plan in the units before.
#pragma once

#include "collocation_minima.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <utility>

namespace quoin::planning::test {

/// How large the numbers become: what was 1 is now `state[j]`, and so on.
struct Units {
  Vector state, control;
  double time = 1, cost = 1;
  Vector rate() const { return state / time; }
};

inline Units drawn_units(const CollocationProblem& problem, double decades, unsigned seed) {
  std::mt19937 generator(seed * 15485863 + 29);
  const auto unit = [&] { return std::pow(10, std::uniform_real_distribution<double>(-decades, decades)(generator)); };
  Units units{.state = Vector::NullaryExpr(problem.dynamics.state_size, unit),
              .control = Vector::NullaryExpr(problem.dynamics.control_size, unit)};
  units.time = unit();
  units.cost = unit();
  return units;
}

/// Of explicit dynamics; the end is prescribed of the whole state, or not; path constraints keep their values.
inline Begun in_units(const Begun& begun, const Units& units) {
  const auto base = std::make_shared<const CollocationProblem>(begun.problem);
  const auto state = [units](const Vector& x) -> Vector { return x.cwiseQuotient(units.state); };
  const auto control = [units](const Vector& u) -> Vector { return u.cwiseQuotient(units.control); };
  const auto by_state = [units](Matrix& d) { d = d * units.state.cwiseInverse().asDiagonal(); };
  const auto by_control = [units](Matrix& d) { d = d * units.control.cwiseInverse().asDiagonal(); };
  const auto scale = [](Vector& values, const Vector& unit) {
    if (values.size() > 0) values = values.cwiseProduct(unit);
  };

  Begun result = begun;
  CollocationProblem& problem = result.problem;
  problem.times *= units.time;
  for (Vector* x : {&problem.initial_state, &problem.lower_initial_state, &problem.upper_initial_state,
                    &problem.lower_state, &problem.upper_state})
    scale(*x, units.state);
  for (Vector* u : {&problem.initial_control, &problem.lower_control, &problem.upper_control}) scale(*u, units.control);
  const Vector rate = units.rate();
  problem.dynamics.value = [=](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
    const StepStatus status = base->dynamics.value(state(x), w.cwiseQuotient(rate), control(u), node);
    node.r = node.r.cwiseProduct(rate);
    return status;
  };
  problem.dynamics.derivatives = [=](const Vector& x, const Vector& w, const Vector& u, NodeEquation& node) {
    const StepStatus status = base->dynamics.derivatives(state(x), w.cwiseQuotient(rate), control(u), node);
    node.r = node.r.cwiseProduct(rate);
    node.dx = rate.asDiagonal() * node.dx;
    node.du = rate.asDiagonal() * node.du;
    by_state(node.dx);
    by_control(node.du);
    return status;
  };
  if (base->running_cost) {
    problem.running_cost = [=](double t, const Vector& x, const Vector& u, double& cost, Vector& dx, Vector& du) {
      const bool computed = base->running_cost(t / units.time, state(x), control(u), cost, dx, du);
      cost *= units.cost / units.time;
      dx = units.cost / units.time * dx.cwiseQuotient(units.state);
      du = units.cost / units.time * du.cwiseQuotient(units.control);
      return computed;
    };
  }
  if (base->terminal_cost) {
    problem.terminal_cost = [=](const Vector& x, double& cost, Vector& dx) {
      const bool computed = base->terminal_cost(state(x), cost, dx);
      cost *= units.cost;
      dx = units.cost * dx.cwiseQuotient(units.state);
      return computed;
    };
  }
  if (base->path) {
    problem.path = [=](double t, const Vector& x, const Vector& u, Vector& g, Matrix& dx, Matrix& du) {
      const bool computed = base->path(t / units.time, state(x), control(u), g, dx, du);
      by_state(dx);
      by_control(du);
      return computed;
    };
  }
  if (base->boundary) {
    scale(problem.lower_boundary, units.state);
    scale(problem.upper_boundary, units.state);
    problem.boundary = [=](const Vector& x, Vector& h, Matrix& dx) {
      const bool computed = base->boundary(state(x), h, dx);
      h = h.cwiseProduct(units.state);
      dx = units.state.asDiagonal() * dx;
      by_state(dx);
      return computed;
    };
  }
  result.guess.times *= units.time;
  result.guess.states = units.state.asDiagonal() * result.guess.states;
  result.guess.controls = units.control.asDiagonal() * result.guess.controls;
  if (result.guess.rates.size() > 0) result.guess.rates = rate.asDiagonal() * result.guess.rates;
  return result;
}

/// The plan of a problem in units, in those before; by Hermite and Simpson's scheme.
inline CollocationPlan in_base_units(CollocationPlan plan, const CollocationProblem& problem, const Units& units) {
  const Vector rate = units.rate();
  plan.times /= units.time;
  plan.states = units.state.cwiseInverse().asDiagonal() * plan.states;
  plan.controls = units.control.cwiseInverse().asDiagonal() * plan.controls;
  plan.rates = rate.cwiseInverse().asDiagonal() * plan.rates;
  plan.cost /= units.cost;
  optimization::NlpMultipliers& forces = plan.multipliers;
  const Eigen::Index n = units.state.size(), m = units.control.size(), count = plan.times.size();
  Vector stride(2 * n + m);
  stride << units.state, rate, units.control;
  for (Vector* bound : {&forces.lower, &forces.upper})
    for (Eigen::Index i = 0; i < count; ++i) bound->segment(i * stride.size(), stride.size()).array() *= stride.array();
  const Eigen::Index paths = problem.path ? problem.lower_path.size() : 0;
  for (Eigen::Index i = 0; i < count; ++i) forces.constraints.segment(i * (n + paths), n).array() *= rate.array();
  Eigen::Index row = count * (n + paths);
  if (problem.boundary) {
    forces.constraints.segment(row, n).array() *= units.state.array();
    row += n;
  }
  for (; row < forces.constraints.size(); row += 2 * n)
    for (Eigen::Index j = 0; j < n; ++j) forces.constraints.segment(row + 2 * j, 2) *= units.state[j];
  for (Vector* force : {&forces.constraints, &forces.lower, &forces.upper}) *force /= units.cost;
  return plan;
}

}  // namespace quoin::planning::test
