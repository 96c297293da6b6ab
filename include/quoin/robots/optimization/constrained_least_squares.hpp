// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/optimization/box_least_squares.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::optimization {

/// Residuals and constraints at x, any numbers of them, from one evaluation, as of one rollout. False where they cannot
/// be computed.
using ConstrainedResiduals = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::VectorXd& h)>;

/// Both with their Jacobians. Of H only the rows that are listed in `active`, ascending, are wanted: H has a row for
/// each of these, so that an adjoint sweep need not run for the others.
using ConstrainedJacobians =
    std::function<bool(const Eigen::VectorXd& x, const std::vector<Eigen::Index>& active, Eigen::VectorXd& r,
                       Eigen::MatrixXd& J, Eigen::VectorXd& h, Eigen::MatrixXd& H)>;

/// The options of the solves within, and how constraints are enforced.
struct ConstrainedLeastSquaresOptions {
  LeastSquaresOptions least_squares = {};  ///< max_iterations: of all together; tolerances: of each solve
  double constraint_tolerance = 1e-6;      ///< of h, in its units; where h varies by less than 0.01 as the variables
                                           ///< change by their sizes, in parts of that
  double initial_penalty = 10;             ///< mu of the augmented Lagrangian, in cost per squared violation
  double penalty_factor = 10;              ///< mu grows by it when violations shrink too slowly
  double max_penalty = 1e9;                ///< mu grows no further, but by such parts
  int max_updates = 30;                    ///< of the multipliers
  Eigen::VectorXd multipliers = {};        ///< warm start, not negative; empty: zero
};

/// Where constrained_least_squares ended, and what it took.
struct ConstrainedLeastSquaresResult {
  Eigen::VectorXd x = {};             ///< inside the bounds
  double cost = 0;                    ///< 1/2 |r|^2, without terms of the constraints
  double violation = 0;               ///< largest h, at least 0
  bool constraints_hold = false;      ///< to constraint_tolerance
  Stop stop = Stop::iteration_limit;  ///< of the last solve
  int iterations = 0;                 ///< of all solves together
  long residual_calls = 0;            ///< in all
  long jacobian_calls = 0;            ///< in all
  Eigen::VectorXd multipliers = {};   ///< lambda, one a constraint, not negative: a warm start
  double penalty = 0;                 ///< mu at the end: a warm start

  /// Whether the last solve met its tolerances and the constraints hold: a stationary point of the constrained problem,
  /// as box_least_squares has it.
  bool converged() const { return stop == Stop::converged && constraints_hold; }
};

/// Minimizes 1/2 |r(x)|^2 subject to h(x) <= 0 and lower <= x <= upper, dense, by an augmented Lagrangian whose terms
/// max(0, lambda + mu h)^2 / (2 mu) are residuals of box_least_squares (Nocedal, Wright 2006, section 17.4): for
/// problems whose Jacobian comes as a whole, such as a plan to be finished on a model that only has adjoints.
///
/// With the multipliers and the penalty of a similar problem's solution it begins with the constraints that hold there.
/// Throws as box_least_squares does, and std::invalid_argument for multipliers that do not fit h and for options that
/// mean nothing.
ConstrainedLeastSquaresResult constrained_least_squares(const ConstrainedResiduals& residuals,
                                                        const ConstrainedJacobians& jacobians,
                                                        const Eigen::VectorXd& initial, const Eigen::VectorXd& lower,
                                                        const Eigen::VectorXd& upper,
                                                        const ConstrainedLeastSquaresOptions& options = {});

}  // namespace quoin::optimization
