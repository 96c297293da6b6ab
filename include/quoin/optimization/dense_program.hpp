// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/optimization/nonlinear_program.hpp"

#include <Eigen/Core>

#include <functional>

namespace quoin::optimization {

/// A small nonlinear program of two functions with dense first derivatives: minimize f(z) subject to
/// lower <= z <= upper and constraint_lower <= c(z) <= constraint_upper.
///
///   DenseProgram pose{.start = q0, .lower = -limits, .upper = limits,
///                     .objective = effort, .constraints = tip_on_goal,
///                     .constraint_lower = Eigen::Vector2d::Zero(), .constraint_upper = Eigen::Vector2d::Zero()};
///   NlpResult solved = solve_with_ipopt(nonlinear_program(pose));
///
/// False: cannot be computed there. Outputs are resized where they must be.
struct DenseProgram {
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  Vector start = {};                                                                   ///< n
  Vector lower = {}, upper = {};                                                       ///< n, or empty for none
  std::function<bool(const Vector& z, double& f, Vector& gradient)> objective = {};    ///< or none: any feasible point
  std::function<bool(const Vector& z, Vector& c, Matrix& jacobian)> constraints = {};  ///< or none; jacobian is m x n
  Vector constraint_lower = {}, constraint_upper = {};                                 ///< m
};

/// The same for `solve_with_ipopt`, start within its bounds, with the Hessian of the Lagrangian by forward differences
/// of its gradient, n calls of both functions, away from upper bounds. Its functions share one workspace: one thread at
/// a time. Throws std::invalid_argument if sizes do not fit; a call does if a function's output does not.
NonlinearProgram nonlinear_program(const DenseProgram& program);

}  // namespace quoin::optimization
