// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/optimization/nonlinear_program.hpp"

#include <Eigen/Core>

#include <functional>

namespace quoin::optimization {

/// A small nonlinear program: minimize f(z) subject to lower <= z <= upper and
/// constraint_lower <= c(z) <= constraint_upper, with dense first derivatives of f and c.
///
///   DenseProgram pose{.start = q0, .lower = -limits, .upper = limits,
///                     .objective = effort, .constraints = tip_on_goal,
///                     .constraint_lower = Eigen::Vector2d::Zero(), .constraint_upper = Eigen::Vector2d::Zero()};
///   NlpResult solved = solve_with_ipopt(nonlinear_program(pose));
///
/// The functions return false where they cannot be computed. Outputs are resized as needed.
struct DenseProgram {
  /// Of doubles, as all functions of the program have it.
  using Vector = Eigen::VectorXd;
  /// Of doubles, as all functions of the program have it.
  using Matrix = Eigen::MatrixXd;
  Vector start = {};                                                                   ///< n
  Vector lower = {}, upper = {};                                                       ///< n, or empty for none
  std::function<bool(const Vector& z, double& f, Vector& gradient)> objective = {};    ///< or none: any feasible point
  std::function<bool(const Vector& z, Vector& c, Matrix& jacobian)> constraints = {};  ///< or none; jacobian is m x n
  Vector constraint_lower = {}, constraint_upper = {};                                 ///< m
};

/// The program in the form for `solve_with_ipopt`, its start moved within the bounds. The Hessian of the Lagrangian
/// comes from forward differences of its gradient, away from upper bounds, at n calls of both functions. All functions
/// share one workspace: call them from one thread at a time. Throws std::invalid_argument if sizes do not fit, and from
/// a call if a function's output does not.
NonlinearProgram nonlinear_program(const DenseProgram& program);

}  // namespace quoin::optimization
