// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/trajectory_problem.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// A trajectory step by step, in the form of the problem's functions, with the quantities that a line search compares.
struct StagedTrajectory {
  std::vector<Eigen::VectorXd> x;  ///< K+1
  std::vector<Eigen::VectorXd> u;  ///< K+1, the last of size 0
  std::vector<Eigen::VectorXd> h;  ///< K+1
  double cost = 0;
  double merit = 0;
  double violation = 0;

  explicit StagedTrajectory(const AnyTrajectoryProblem& problem)
      : x(problem.horizon + 1, Eigen::VectorXd(problem.dynamics.state_size())),
        u(problem.horizon + 1, Eigen::VectorXd(problem.dynamics.control_size())),
        h(problem.horizon + 1) {
    x[0] = problem.initial_state;
    u[problem.horizon].resize(0);
  }

  void copy_to(Trajectory& trajectory) const {
    const auto horizon = static_cast<Eigen::Index>(x.size()) - 1;
    trajectory.states.resize(x[0].size(), horizon + 1);
    trajectory.controls.resize(u[0].size(), horizon);
    for (Eigen::Index i = 0; i <= horizon; ++i) trajectory.states.col(i) = x[i];
    for (Eigen::Index i = 0; i < horizon; ++i) trajectory.controls.col(i) = u[i];
    trajectory.cost = cost;
  }
};

/// First derivatives of one stage.
struct StageDerivatives {
  Eigen::VectorXd r, h, next;
  Eigen::MatrixXd r_x, r_u, h_x, h_u;
  Eigen::MatrixXd g_x, g_u;  ///< of the step; unused at the horizon
  StepStatus status = StepStatus::ok;
};

}  // namespace quoin::planning
