// SPDX-License-Identifier: BSD-3-Clause
// A swimmer of five hinges follows a wave that grows in height and frequency: a long way through five angles, of whose
// box most is never visited.
#include "benchmarks/papers/ablation/schemes.hpp"
#include "examples/studies/program/cores.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/ellipsoid_chain.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace benchmarks {
namespace {

using namespace quoin::swimmer;
using studies::figures::format_number;

constexpr int hinges = 5;
constexpr double time_step = 0.02;  // s
constexpr double limit = 1.2;       // rad, of the box

struct Task {
  int steps;
  Swimmer body = ellipsoid_chain({.links = hinges + 1, .mesh = 2});
  AddedMass<hinges> water{body, Motion::planar};

  /// The angles to follow, rad: a wave from head to tail, 0.3 rad high at first, 0.9 in the end, and ever faster.
  Point<hinges> wave(double i) const {
    const double s = i / steps;
    Point<hinges> q;
    for (int k = 0; k < hinges; ++k)
      q[k] = (0.3 + 0.6 * s) * std::sin(2 * std::numbers::pi * (1.5 * s + 1.5 * s * s) * steps / 200 - 1.1 * k);
    return q;
  }
};

/// Torques, and the angles off the wave, weighted.
struct Following {
  const Task& task;
  double by_torque = 0.3, by_angle = 10;

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    r.resize(u.size() + hinges);
    r << by_torque * u, by_angle * (x.head<hinges>() - task.wave(i));
    return true;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    residual(i, x, u, r);
    dr_dx.setZero(r.size(), x.size());
    dr_du.setZero(r.size(), u.size());
    dr_dx.bottomLeftCorner(hinges, hinges).diagonal().setConstant(by_angle);
    dr_du.topRows(u.size()).diagonal().setConstant(by_torque);
    return true;
  }
};

template <class Water>
auto dynamics_over(const Task& task, const Water& water) {
  using Mass = GeneralizedMass<hinges, Water>;
  return SwimmerDynamics<hinges, Mass>(Mass(task.body, Motion::planar, water), Motion::planar,
                                       {.time_step = time_step});
}

struct LongPlan {
  OnDemand scheme;
  double length = 0;    ///< of the path, the sum over the angles of their ways, rad
  double off_wave = 0;  ///< root mean square, rad
  double without = 0;   ///< evaluations that the last solve would take on the flow itself
};

LongPlan plan_on(const Task& task, double spacing, double threshold, int samples) {
  GridOptions<hinges> options;
  options.spacing.setConstant(spacing);
  const double cells = std::ceil(limit / spacing - 1e-9);
  options.lower.setConstant(-cells * spacing);
  options.upper.setConstant(cells * spacing);
  const studies::Stopwatch watch;
  AdaptiveGrid<hinges> grid(task.water, options, Threads{0});
  auto solved = grid.at_level(0);
  planning::IlqrResult last;
  const auto solver = [&](const GridView<hinges>& view, const Eigen::MatrixXd& guess) {
    const auto swim = dynamics_over(task, view);
    const Eigen::VectorXd torque = Eigen::VectorXd::Constant(hinges, 5);
    const Following following{task};
    const planning::TrajectoryProblem<const decltype(swim)&, const Following&> problem{
        .dynamics = swim,
        .residuals = following,
        .horizon = task.steps,
        .initial_state = swim.rest_state(task.wave(0)),
        .lower_control = -torque,
        .upper_control = torque};
    planning::IlqrOptions ilqr;
    ilqr.relative_tolerance = 1e-5;
    ilqr.initial_regularization = 1;
    ilqr.derivatives_in_trial = false;
    ilqr.check_curvature = false;
    ilqr.threads = studies::cores();
    last = planning::ilqr(problem, guess, ilqr);
    solved = view;
    return SolverResult<Eigen::MatrixXd>{last.trajectory.controls, last.trajectory.cost, last.converged()};
  };
  const auto outcome = interleave(grid, solver, Eigen::MatrixXd(Eigen::MatrixXd::Zero(hinges, task.steps)),
                                  {.schedule = levels_for(spacing, threshold)});
  LongPlan plan;
  plan.scheme = {.evaluations = static_cast<long>(grid.statistics().exact_evaluations),
                 .seconds = watch.seconds(),
                 .seconds_in_function = grid.statistics().seconds_in_function,
                 .cost = last.trajectory.cost,
                 .finished = outcome.stop == InterleaveStop::converged};
  const Eigen::MatrixXd angles = last.trajectory.states.topRows(hinges);
  plan.length = (angles.rightCols(task.steps) - angles.leftCols(task.steps)).cwiseAbs().sum();
  for (int i = 0; i <= task.steps; ++i) plan.off_wave += (angles.col(i) - task.wave(i)).squaredNorm();
  plan.off_wave = std::sqrt(plan.off_wave / static_cast<double>(angles.size()));
  constexpr int per_step = 4, per_derivative = 1 + 2 * hinges;  // RK4; differences for second derivatives
  plan.without = static_cast<double>(per_step) * static_cast<double>(last.dynamics_calls) +
                 static_cast<double>(per_step * per_derivative) * static_cast<double>(last.derivative_calls);

  const auto exact = dynamics_over(task, task.water);
  const auto on_grid = dynamics_over(task, solved);
  Eigen::VectorXd next, next_on_grid;
  for (int s = 0; s < samples; ++s) {
    const Eigen::Index i = (task.steps - 1) * s / std::max(samples - 1, 1);
    const Eigen::VectorXd x = last.trajectory.states.col(i), u = last.trajectory.controls.col(i);
    if (exact.step(x, u, next) != StepStatus::ok || on_grid.step(x, u, next_on_grid) != StepStatus::ok)
      throw std::runtime_error("long path: a step of the plan failed");
    plan.scheme.error = std::max(plan.scheme.error, (next - next_on_grid).norm() / next.norm());
  }
  return plan;
}

}  // namespace

void tell_long_path(Report& report, bool quick) {
  const Task task{.steps = quick ? 60 : 200};
  const double finest = quick ? 0.3 : 0.15;
  const int samples = quick ? 5 : 20;
  const LongPlan one = plan_on(task, finest, finest, samples), interleaved = plan_on(task, 0.6, finest, samples);
  tell(report, {.task = "long path of five hinges",
                .box = {.dim = hinges, .lower = -limit, .upper = limit, .spacing = finest},
                .coarse_to_fine = "0.6 to " + format_number(finest),
                .one_level = one.scheme,
                .interleaved = interleaved.scheme,
                .most_of_box = quick ? 0.1 : 0.02});
  report.checks.push_back({"long path of five hinges: the swimmer follows the wave to 0.1 rad, root mean square: " +
                               format_number(interleaved.off_wave),
                           interleaved.off_wave <= 0.1});
  report.notes += "The long path is " + format_number(interleaved.length) +
                  " rad long, summed over the hinges; the last level's solve alone would take " +
                  format_number(interleaved.without) + " evaluations on the flow itself.\n\n";
}

}  // namespace benchmarks
