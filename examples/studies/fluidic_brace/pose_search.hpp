// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/static_pose.hpp"
#include "quoin/robots/optimization/nonlinear_program.hpp"

#include <Eigen/Core>

#include <map>
#include <string>

namespace studies::brace {

/// The objective among the poses that a task allows.
struct PoseWish {
  double effort = 1;          ///< weight of tau^T tau, 1 / (N m)^2 (R = 1 in Eq. 36)
  double miss = 0;            ///< weight of |tip - goal|^2, 1 / m^2; positive: the goal may be missed
  Eigen::VectorXd held = {};  ///< given bends, from the base on, rad
};

struct SearchOptions {
  int starts = 24;             ///< at random, besides `guess`
  Eigen::VectorXd guess = {};  ///< one more start, or empty
  int max_iterations = 300;    ///< per start
  int seed = 7;
};

struct PoseResult {
  bool feasible = false;
  Eigen::VectorXd z = {};  ///< the best pose; if none is feasible, the one that misses its constraints least
  double objective = 0;
  double violation = 0;       ///< of the worst constraint, m, N m or N
  std::string violated = {};  ///< name of that constraint
  int feasible_starts = 0, starts = 0;
  std::map<std::string, int> verdicts = {};  ///< of the solver, with their counts
};

/// Solves Eq. 36 from several starts by Ipopt.
PoseResult find_pose(const fluidic_arm::StaticPose& pose, const PoseWish& wish, const SearchOptions& options = {});

}  // namespace studies::brace
