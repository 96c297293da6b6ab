// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/aico_problem.hpp"

#include "quoin/robots/linear_algebra/semidefinite_root.hpp"
#include "quoin/util/to_text.hpp"

#include "control_root.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

void check(const LinearStep& step) {
  if (step.A.rows() != step.A.cols() || step.a.size() != step.A.rows() || step.B.rows() != step.A.rows()) {
    throw std::invalid_argument("linear_dynamics: A is " + shape_text(step.A) + ", a has " + to_text(step.a.size()) +
                                " entries, B is " + shape_text(step.B));
  }
}

StepStatus take(const LinearStep& of, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                LinearStep* step) {
  if (x.size() != of.A.cols() || u.size() != of.B.cols()) {
    throw std::invalid_argument("linear_dynamics: " + to_text(x.size()) + " states and " + to_text(u.size()) +
                                " controls for steps of " + to_text(of.A.cols()) + " and " + to_text(of.B.cols()));
  }
  next = of.a;
  next.noalias() += of.A * x;
  next.noalias() += of.B * u;
  if (step) *step = of;
  return StepStatus::ok;
}

}  // namespace

void AicoProblem::check(const char* caller) const {
  const std::string begin = std::string(caller) + ": ";
  if (state_size < 1 || horizon < 1) {
    throw std::invalid_argument(begin + to_text(state_size) + " states, " + to_text(horizon) + " steps");
  }
  if (!dynamics || !task) throw std::invalid_argument(begin + "dynamics or task is missing");
  inverse_root_of(control_cost, caller);
  if (initial_state.size() != state_size || !initial_state.allFinite()) {
    throw std::invalid_argument(begin + "initial_state has " + to_text(initial_state.size()) + " entries, must be " +
                                to_text(state_size) + ", finite");
  }
  if (initial_covariance.size() == 0) return;
  if (initial_covariance.rows() != state_size || initial_covariance.cols() != state_size ||
      !initial_covariance.allFinite()) {
    throw std::invalid_argument(begin + "initial_covariance is " + shape_text(initial_covariance) + ", must be " +
                                to_text(state_size) + " x " + to_text(state_size) + ", finite");
  }
  linear_algebra::SemidefiniteRoot(initial_covariance, begin + "initial_covariance");
}

AicoDynamics linear_dynamics(LinearStep step) {
  check(step);
  return [of = std::move(step)](int, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                                LinearStep* linear) { return take(of, x, u, next, linear); };
}

AicoDynamics linear_dynamics(std::vector<LinearStep> steps) {
  for (const LinearStep& step : steps) check(step);
  return [of = std::move(steps)](int t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                                 LinearStep* linear) { return take(of.at(t), x, u, next, linear); };
}

}  // namespace quoin::planning
