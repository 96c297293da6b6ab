// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/trajectory_problem.hpp"

#include "quoin/util/to_text.hpp"

#include "infinity.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::planning {
namespace {

void complete_bounds(const std::string& where, const char* what, Eigen::Index size, Eigen::VectorXd& lower,
                     Eigen::VectorXd& upper) {
  if (lower.size() == 0) lower = Eigen::VectorXd::Constant(size, -infinity);
  if (upper.size() == 0) upper = Eigen::VectorXd::Constant(size, infinity);
  if (lower.size() != size || upper.size() != size) {
    throw std::invalid_argument(where + "the " + what + " has " + to_text(size) + " entries, its bounds have " +
                                to_text(lower.size()) + " and " + to_text(upper.size()));
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!(lower[i] <= upper[i])) {
      throw std::invalid_argument(where + "bounds of " + what + " " + to_text(i) + " are " + to_text(lower[i]) +
                                  " and " + to_text(upper[i]));
    }
  }
}

}  // namespace

bool has_state_bounds(const AnyTrajectoryProblem& problem) {
  return (problem.lower_state.array() > -infinity).any() || (problem.upper_state.array() < infinity).any();
}

void complete(AnyTrajectoryProblem& problem, const char* caller) {
  const std::string where = std::string(caller) + ": ";
  const Eigen::Index n = problem.dynamics.state_size();
  const Eigen::VectorXd& x0 = problem.initial_state;
  if (problem.horizon < 1)
    throw std::invalid_argument(where + "horizon is " + to_text(problem.horizon) + ", must be positive");
  if (x0.size() != n)
    throw std::invalid_argument(where + "initial_state has " + to_text(x0.size()) +
                                " entries, the dynamics' state has " + to_text(n));
  for (Eigen::Index i = 0; i < n; ++i)
    if (!std::isfinite(x0[i]))
      throw std::invalid_argument(where + "initial_state " + to_text(i) + " is " + to_text(x0[i]));
  complete_bounds(where, "control", problem.dynamics.control_size(), problem.lower_control, problem.upper_control);
  complete_bounds(where, "state", n, problem.lower_state, problem.upper_state);
}

Rollout roll_out(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& controls) {
  const int horizon = problem.horizon;
  if (controls.rows() != problem.dynamics.control_size() || controls.cols() != horizon) {
    throw std::invalid_argument("roll_out: controls are " + shape_text(controls) + ", must be " +
                                to_text(problem.dynamics.control_size()) + " x " + to_text(horizon));
  }
  Rollout result;
  result.trajectory.controls = controls;
  Eigen::MatrixXd& states = result.trajectory.states;
  states.resize(problem.dynamics.state_size(), horizon + 1);
  Eigen::VectorXd x = problem.initial_state, next, u, r, h;
  for (int i = 0; i <= horizon; ++i) {
    states.col(i) = x;
    if (i < horizon) {
      u = controls.col(i);
    } else {
      u.resize(0);
    }
    bool computed = problem.residuals.residual(i, x, u, r) && problem.constraints.constraint(i, x, u, h) &&
                    r.allFinite() && h.allFinite();
    if (computed) {
      result.trajectory.cost += 0.5 * r.squaredNorm();
      if (h.size() > 0) result.violation = std::max(result.violation, h.maxCoeff());
      if (i > 0) {
        result.violation =
            std::max({result.violation, (x - problem.upper_state).maxCoeff(), (problem.lower_state - x).maxCoeff()});
      }
      if (i == horizon) break;
      result.status = problem.dynamics.step(x, u, next);
      computed = result.status == StepStatus::ok && next.allFinite();
    }
    if (!computed) {
      result.failed_step = i;
      result.trajectory.cost = infinity;
      states.conservativeResize(Eigen::NoChange, i + 1);
      break;
    }
    x.swap(next);
  }
  return result;
}

CostGradient cost_gradient(const AnyTrajectoryProblem& problem, const Eigen::MatrixXd& controls) {
  CostGradient result{roll_out(problem, controls), {}};
  Rollout& rollout = result.rollout;
  if (rollout.failed_step >= 0) return result;
  Eigen::MatrixXd gradient(problem.dynamics.control_size(), problem.horizon);
  Eigen::VectorXd x, u, next, r, adjoint;
  Eigen::MatrixXd r_x, r_u, g_x, g_u;
  for (int i = problem.horizon; i >= 0; --i) {
    x = rollout.trajectory.states.col(i);
    if (i == problem.horizon) {
      u.resize(0);
    } else {
      u = controls.col(i);
    }
    bool computed = problem.residuals.residual(i, x, u, r, r_x, r_u);
    if (computed && i < problem.horizon) {
      rollout.status = problem.dynamics.step(x, u, next, g_x, g_u);
      computed = rollout.status == StepStatus::ok;
    }
    if (!computed) {
      rollout.failed_step = i;
      return result;
    }
    if (i == problem.horizon) {
      adjoint = r_x.transpose() * r;
    } else {
      gradient.col(i) = r_u.transpose() * r + g_u.transpose() * adjoint;
      adjoint = (r_x.transpose() * r + g_x.transpose() * adjoint).eval();
    }
  }
  result.gradient = std::move(gradient);
  return result;
}

}  // namespace quoin::planning
