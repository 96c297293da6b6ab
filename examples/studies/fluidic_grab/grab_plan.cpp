// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/grab_plan.hpp"

#include "quoin/robots/planning/control_rates.hpp"

#include <ctime>
#include <memory>
#include <random>

namespace studies::grab {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace planning;

constexpr Index segments = 4, actuated = 3;

/// Positions of angles, their rates and torques in the state.
struct Layout {
  Index states, velocities, torques;
};
Layout layout(const GrabTask& task) {
  if (task.torques == TorqueForm::free) return {8, 4, -1};
  return {11, 7, 4};
}

GrabPlan solve(const fluidic_arm::FluidicArm& arm, const GrabTask& task, const CollocationProblem& problem,
               const CollocationPlan& guess) {
  CollocationOptions options{.scheme = task.scheme};
  options.ipopt.tolerance = 1e-4;
  options.ipopt.constraint_tolerance = 1e-6;
  options.ipopt.max_iterations = task.max_iterations;
  const std::clock_t begin = std::clock();
  GrabPlan grab{.plan = collocation(problem, guess, options)};
  grab.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const VectorXd end = replay(problem.dynamics, grab.plan, 2e-3).final_state();
  const Layout at = layout(task);
  Eigen::Vector2d velocity;
  Eigen::Matrix2Xd ignored;
  arm.point_velocity(end.head(segments), end.segment(at.velocities, segments), 3, 1, velocity, ignored);
  grab.tip = arm.tip(end.head(segments));
  grab.miss = (grab.tip - task.goal).norm();
  grab.speed = (velocity - task.velocity).norm();
  return grab;
}

}  // namespace

CollocationProblem grab_problem(const fluidic_arm::FluidicArm& arm, const GrabTask& task) {
  const Layout at = layout(task);
  const auto shared = std::make_shared<const fluidic_arm::FluidicArm>(arm);
  CollocationProblem problem{.dynamics = node_dynamics(shared),
                             .times = VectorXd::LinSpaced(task.intervals + 1, 0, task.duration),
                             .initial_state = VectorXd::Zero(at.states)};
  problem.upper_state = VectorXd::Constant(at.states, 30);
  problem.upper_state.head(segments).setConstant(2.5);
  MatrixXd Q = MatrixXd::Zero(at.states, at.states);
  if (task.torques == TorqueForm::free) {
    problem.initial_control = VectorXd::Zero(actuated);
    problem.upper_control = task.limits;
    problem.running_cost = effort(task.effort * MatrixXd::Identity(actuated, actuated));
  } else {
    problem.dynamics = with_control_rates(problem.dynamics);
    problem.upper_control = VectorXd::Constant(actuated, task.rate_limit);
    problem.upper_state.segment(at.torques, actuated) = task.limits;
    Q.diagonal().segment(at.torques, actuated).setConstant(task.effort);
    problem.running_cost = quadratic_cost(Q, VectorXd::Zero(at.states),
                                          task.effort * task.rate_effort * MatrixXd::Identity(actuated, actuated));
  }
  problem.lower_state = -problem.upper_state;
  problem.lower_control = -problem.upper_control;
  // Squares of distance and speed, smooth at zero, in units in which the tolerances are about 1.
  const auto tip = [shared, at, wanted = task.velocity](const VectorXd& x, Eigen::Vector2d& p, Eigen::Vector2d& v,
                                                        MatrixXd& dp, MatrixXd& dv) {
    Eigen::Matrix2Xd J, dJv;
    shared->point(x.head(segments), 3, 1, p, J);
    shared->point_velocity(x.head(segments), x.segment(at.velocities, segments), 3, 1, v, dJv);
    v -= wanted;
    dp.setZero(2, at.states);
    dv.setZero(2, at.states);
    dp.leftCols(segments) = J;
    dv.leftCols(segments) = dJv;
    dv.middleCols(at.velocities, segments) = J;
  };
  constexpr double per_position = 1e4, per_speed = 1e3;
  problem.boundary = [tip, goal = task.goal](const VectorXd& x, VectorXd& h, MatrixXd& dx) {
    Eigen::Vector2d p, v;
    MatrixXd dp, dv;
    tip(x, p, v, dp, dv);
    h = Eigen::Vector2d(per_position * (p - goal).squaredNorm(), per_speed * v.squaredNorm());
    dx.resize(2, x.size());
    dx.row(0) = 2 * per_position * (p - goal).transpose() * dp;
    dx.row(1) = 2 * per_speed * v.transpose() * dv;
    return true;
  };
  problem.lower_boundary = Eigen::Vector2d::Zero();
  problem.upper_boundary = Eigen::Vector2d(per_position * task.position_tolerance * task.position_tolerance,
                                           per_speed * task.speed_tolerance * task.speed_tolerance);
  if (task.speed_weight > 0)
    problem.terminal_cost = [tip, weight = task.speed_weight](const VectorXd& x, double& cost, VectorXd& dx) {
      Eigen::Vector2d p, v;
      MatrixXd dp, dv;
      tip(x, p, v, dp, dv);
      cost = weight * v.squaredNorm();
      dx = 2 * weight * dv.transpose() * v;
      return true;
    };
  return problem;
}

GrabPlan plan_grab(const fluidic_arm::FluidicArm& arm, const GrabTask& task, unsigned start) {
  const Layout at = layout(task);
  const CollocationProblem problem = grab_problem(arm, task);
  std::mt19937 generator(start);
  const auto uniform = [&] { return 2 * (static_cast<double>(generator()) / 4294967296.) - 1; };
  VectorXd end = VectorXd::Zero(at.states);
  for (Index i = 0; i < segments; ++i) end[i] = 0.8 * uniform();
  if (at.torques >= 0)
    for (Index i = 0; i < actuated; ++i) end[at.torques + i] = 0.3 * task.limits[i] * uniform();
  CollocationPlan guess = straight_guess(problem, end);
  if (at.torques < 0)
    for (Index j = 1; j < guess.controls.cols(); ++j)
      for (Index i = 0; i < actuated; ++i) guess.controls(i, j) = 0.3 * task.limits[i] * uniform();
  return solve(arm, task, problem, guess);
}

GrabPlan plan_grab(const fluidic_arm::FluidicArm& arm, const GrabTask& task, const CollocationPlan& guess) {
  return solve(arm, task, grab_problem(arm, task), guess);
}

VectorXd arm_state(const GrabTask& task, const CollocationPlan& plan, double time) {
  const VectorXd state = plan.state(time);
  VectorXd x(2 * segments);
  x << state.head(segments), state.segment(layout(task).velocities, segments);
  return x;
}

VectorXd torques(const GrabTask& task, const CollocationPlan& plan, double time) {
  if (task.torques == TorqueForm::free) return plan.control(time);
  return plan.state(time).segment(layout(task).torques, actuated);
}

}  // namespace studies::grab
