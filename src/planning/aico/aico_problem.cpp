// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/aico/aico_problem.hpp"

#include "control_root.hpp"

#include <Eigen/Eigenvalues>

#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

void check(const LinearStep& step) {
  if (step.A.rows() != step.A.cols() || step.a.size() != step.A.rows() || step.B.rows() != step.A.rows()) {
    throw std::invalid_argument("linear_dynamics: A is " + std::to_string(step.A.rows()) + " x " +
                                std::to_string(step.A.cols()) + ", a has " + std::to_string(step.a.size()) +
                                " entries, B is " + std::to_string(step.B.rows()) + " x " +
                                std::to_string(step.B.cols()));
  }
}

StepStatus take(const LinearStep& of, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                LinearStep* step) {
  if (x.size() != of.A.cols() || u.size() != of.B.cols()) {
    throw std::invalid_argument("linear_dynamics: " + std::to_string(x.size()) + " states and " +
                                std::to_string(u.size()) + " controls for steps of " + std::to_string(of.A.cols()) +
                                " and " + std::to_string(of.B.cols()));
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
    throw std::invalid_argument(begin + std::to_string(state_size) + " states, " + std::to_string(horizon) + " steps");
  }
  if (!dynamics || !task) throw std::invalid_argument(begin + "dynamics or task is missing");
  inverse_root_of(control_cost, caller);
  if (initial_state.size() != state_size || !initial_state.allFinite()) {
    throw std::invalid_argument(begin + "initial_state has " + std::to_string(initial_state.size()) +
                                " entries, must be " + std::to_string(state_size) + ", finite");
  }
  if (initial_covariance.size() == 0) return;
  if (initial_covariance.rows() != state_size || initial_covariance.cols() != state_size ||
      !initial_covariance.allFinite()) {
    throw std::invalid_argument(begin + "initial_covariance is " + std::to_string(initial_covariance.rows()) + " x " +
                                std::to_string(initial_covariance.cols()) + ", must be " + std::to_string(state_size) +
                                " x " + std::to_string(state_size) + ", finite");
  }
  const double skew = (initial_covariance - initial_covariance.transpose()).cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(initial_covariance, Eigen::EigenvaluesOnly);
  const double least = eigen.eigenvalues().minCoeff(), tolerance = 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
  if (skew > tolerance || least < -tolerance) {
    throw std::invalid_argument(begin + "initial_covariance has an eigenvalue of " + std::to_string(least) +
                                " and differs from its transpose by " + std::to_string(skew));
  }
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
