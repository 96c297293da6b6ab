// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/problem.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

using Vector = Eigen::VectorXd;

void check_bounds(const std::string& caller, const char* name, const Vector& lower, const Vector& upper,
                  Eigen::Index size, bool required) {
  for (const Vector* bound : {&lower, &upper}) {
    if (bound->size() == size || (!required && bound->size() == 0)) continue;
    throw std::invalid_argument(caller + ": a bound of the " + name + " has " + to_text(bound->size()) +
                                " entries, must have " + to_text(size));
  }
  if (lower.size() == 0 || upper.size() == 0) return;
  for (Eigen::Index i = 0; i < size; ++i) {
    if (lower[i] <= upper[i]) continue;
    throw std::invalid_argument(caller + ": bounds of the " + name + " cross: entry " + to_text(i) + " is between " +
                                to_text(lower[i]) + " and " + to_text(upper[i]));
  }
}

void check_value(const std::string& caller, const char* name, const Vector& value, Eigen::Index size) {
  if (value.size() != size || !value.allFinite()) {
    throw std::invalid_argument(caller + ": " + name + " has " + to_text(value.size()) + " entries, must have " +
                                to_text(size) + ", all finite");
  }
}

void hold(Vector& value, const Vector& lower, const Vector& upper) {
  if (lower.size() > 0) value = value.cwiseMax(lower);
  if (upper.size() > 0) value = value.cwiseMin(upper);
}

}  // namespace

void CollocationProblem::check(const char* caller) const {
  const std::string who = caller;
  const Eigen::Index n = dynamics.state_size, m = dynamics.control_size;
  if (!dynamics.value || !dynamics.derivatives || dynamics.rate_size < 1 || dynamics.rate_size > n ||
      2 * dynamics.rate_size < n) {
    throw std::invalid_argument(who + ": dynamics of " + to_text(n) + " states and " + to_text(dynamics.rate_size) +
                                " rates: make them by node_dynamics");
  }
  if (times.size() < 2 || !times.allFinite()) {
    throw std::invalid_argument(who + ": " + to_text(times.size()) + " times, there must be at least 2, all finite");
  }
  for (Eigen::Index i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    throw std::invalid_argument(who + ": times must ascend, but time " + to_text(i) + " = " + to_text(times[i]) +
                                " follows " + to_text(times[i - 1]));
  }
  if (initial_state.size() > 0) {
    check_value(who, "initial_state", initial_state, n);
    if (lower_initial_state.size() > 0 || upper_initial_state.size() > 0)
      throw std::invalid_argument(who + ": the initial state has a value of " + to_text(n) +
                                  " entries and bounds as well, there must be one of them");
  }
  if (initial_control.size() > 0) check_value(who, "initial_control", initial_control, m);
  check_bounds(who, "initial state", lower_initial_state, upper_initial_state, n, false);
  check_bounds(who, "state", lower_state, upper_state, n, false);
  check_bounds(who, "control", lower_control, upper_control, m, false);
  check_bounds(who, "path", lower_path, upper_path, path ? lower_path.size() : 0, true);
  check_bounds(who, "boundary", lower_boundary, upper_boundary, boundary ? lower_boundary.size() : 0, true);
}

RunningCost effort(Eigen::MatrixXd R) {
  const Eigen::MatrixXd twice = R + R.transpose();
  return [twice](double, const Vector& x, const Vector& u, double& cost, Vector& dx, Vector& du) {
    dx.setZero(x.size());
    du.noalias() = twice * u;
    cost = 0.5 * u.dot(du);
    return true;
  };
}

RunningCost quadratic_cost(Eigen::MatrixXd Q, Eigen::VectorXd goal, Eigen::MatrixXd R) {
  const Eigen::MatrixXd twice_Q = Q + Q.transpose(), twice_R = R + R.transpose();
  return [twice_Q, goal = std::move(goal), twice_R](double, const Vector& x, const Vector& u, double& cost, Vector& dx,
                                                    Vector& du) {
    dx.noalias() = twice_Q * x;
    dx.noalias() -= twice_Q * goal;
    du.noalias() = twice_R * u;
    cost = 0.5 * (x.dot(dx) - goal.dot(dx) + u.dot(du));
    return true;
  };
}

CollocationProblem collocation_problem(NodeDynamics dynamics, double duration, AnyTrajectoryProblem problem,
                                       std::shared_ptr<const void> owner) {
  const int K = problem.horizon;
  const Vector& x0 = problem.initial_state;
  const Vector held =
      Vector::Zero(problem.dynamics.control_size()).cwiseMax(problem.lower_control).cwiseMin(problem.upper_control);
  Vector within, at_end;
  if (!problem.constraints.constraint(0, x0, held, within) || !problem.constraints.constraint(K, x0, Vector(), at_end))
    throw std::invalid_argument("collocation_problem: constraints of the first or last of " + to_text(K) +
                                " steps cannot be computed at the initial state");
  const auto step_at = [duration, K](double t) {  // the last node belongs to the last interval
    return std::clamp(static_cast<int>(std::floor(t / duration + 1e-6)), 0, K - 1);
  };

  CollocationProblem same{.dynamics = std::move(dynamics),
                          .times = Vector::LinSpaced(K + 1, 0, K * duration),
                          .initial_state = x0,
                          .lower_state = problem.lower_state,
                          .upper_state = problem.upper_state,
                          .lower_control = problem.lower_control,
                          .upper_control = problem.upper_control};
  same.running_cost = [owner, duration, step_at, residual = problem.residuals.residual](
                          double t, const Vector& x, const Vector& u, double& cost, Vector& dx, Vector& du) {
    Vector r;
    Eigen::MatrixXd r_x, r_u;
    if (!residual(step_at(t), x, u, r, r_x, r_u)) return false;
    cost = 0.5 * r.squaredNorm() / duration;
    dx.noalias() = r_x.transpose() * (r / duration);
    du.noalias() = r_u.transpose() * (r / duration);
    return true;
  };
  same.terminal_cost = [owner, K, residual = problem.residuals.residual](const Vector& x, double& cost, Vector& dx) {
    Vector r;
    Eigen::MatrixXd r_x, r_u;
    if (!residual(K, x, Vector(), r, r_x, r_u)) return false;
    cost = 0.5 * r.squaredNorm();
    dx.noalias() = r_x.transpose() * r;
    return true;
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  if (within.size() > 0) {
    same.path = [owner, step_at, rows = within.size(), constraint = problem.constraints.constraint](
                    double t, const Vector& x, const Vector& u, Vector& g, Eigen::MatrixXd& dx, Eigen::MatrixXd& du) {
      if (!constraint(step_at(t), x, u, g, dx, du)) return false;
      if (g.size() == rows) return true;
      throw std::invalid_argument("collocation_problem: step " + to_text(step_at(t)) + " has " + to_text(g.size()) +
                                  " constraints, step 0 has " + to_text(rows));
    };
    same.lower_path.setConstant(within.size(), -none);
    same.upper_path.setZero(within.size());
  }
  if (at_end.size() > 0) {
    same.boundary = [owner, K, constraint = problem.constraints.constraint](const Vector& x, Vector& h,
                                                                            Eigen::MatrixXd& dx) {
      Eigen::MatrixXd du;
      return constraint(K, x, Vector(), h, dx, du);
    };
    same.lower_boundary.setConstant(at_end.size(), -none);
    same.upper_boundary.setZero(at_end.size());
  }
  same.check("collocation_problem");
  return same;
}

CollocationPlan straight_guess(const CollocationProblem& problem, const Eigen::VectorXd& final_state) {
  problem.check("straight_guess");
  const Eigen::Index n = problem.dynamics.state_size, count = problem.times.size();
  check_value("straight_guess", "final_state", final_state, n);
  Vector begin = problem.initial_state;
  if (begin.size() == 0) {
    begin.setZero(n);
    const Vector &lower = problem.lower_initial_state, &upper = problem.upper_initial_state;
    for (Eigen::Index j = 0; j < n && lower.size() > 0 && upper.size() > 0; ++j)
      if (std::isfinite(lower[j]) && std::isfinite(upper[j])) begin[j] = (lower[j] + upper[j]) / 2;
    hold(begin, lower, upper);
  }
  CollocationPlan guess{.times = problem.times,
                        .states = Eigen::MatrixXd(n, count),
                        .controls = Eigen::MatrixXd(problem.dynamics.control_size, count)};
  const double first = problem.times[0], duration = problem.times[count - 1] - first;
  Vector x, u = Vector::Zero(problem.dynamics.control_size);
  hold(u, problem.lower_control, problem.upper_control);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double s = (problem.times[i] - first) / duration;
    x = (1 - s) * begin + s * final_state;
    hold(x, problem.lower_state, problem.upper_state);
    guess.states.col(i) = x;
    guess.controls.col(i) = u;
  }
  return guess;
}

}  // namespace quoin::planning
