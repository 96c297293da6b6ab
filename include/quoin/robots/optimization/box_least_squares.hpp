// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace quoin::optimization {

/// r(x), any number of rows. Returns false if it cannot be computed here; the solver then takes a shorter step.
using ResidualFunction = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)>;
/// r(x) and J(i, j) = dr_i/dx_j; called only where r was accepted, once per iteration.
using ResidualJacobian = std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd& J)>;

using LeastSquaresStop [[deprecated("quoin::Stop")]] = Stop;

/// What the observer is told of an iteration, and the log keeps.
struct LeastSquaresIteration {
  int iteration = 0;              ///< from 1; 0 is the start
  double cost = 0;                ///< 1/2 |r|^2
  double projected_gradient = 0;  ///< largest |x - clamp(x - J^T r)| before the step
  double expected_decrease = 0;   ///< by the undamped part of the model
  double damping = 0;             ///< of the step, relative to the diagonal of J^T J
  long residual_calls = 0;        ///< so far, trial steps included
  long jacobian_calls = 0;        ///< so far
};

/// When box_least_squares stops, and how it is damped.
struct LeastSquaresOptions {
  int max_iterations = 100;           ///< as many Jacobians; 0 computes the cost of the start alone
  double relative_tolerance = 1e-10;  ///< stop when model or step promises less than this times the cost
  double gradient_tolerance = 1e-12;  ///< stop when |J_j^T r| is at most this times |J_j| |r| for all free x_j, or a
                                      ///< step at most this times the largest x_j so far: free of units
  double initial_damping = 0;         ///< relative to the diagonal of J^T J; 0 begins with Gauss-Newton steps
  double max_damping = 1e10;          ///< gives up where a step would need more, relative to the diagonal of J^T J
  /// Look for a lower cost along the four weakest directions of the model before a point is called converged, and go on
  /// from it: at most 24 residuals, as a rule once; 62 more for each unknown that is zero and without effect there.
  bool check_curvature = true;
  std::function<bool(const LeastSquaresIteration&, const Eigen::VectorXd& x)> observer = {};  ///< false stops
};

/// Where box_least_squares ended, and what it took.
struct LeastSquaresResult {
  Eigen::VectorXd x;  ///< inside the bounds
  double cost = 0;    ///< 1/2 |r|^2 at x
  /// converged: a stationary point: model or step promises less than the tolerances, and no cost lower by 1e-6 of it
  /// was found nearby along the four weakest directions of Gauss-Newton's model, which cannot tell a saddle, where J^T
  /// r vanishes too, from a minimum. That is a sample of values, no proof. Else iteration_limit, stalled,
  /// initial_failed, derivatives_failed or stopped_by_observer.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;                      ///< steps taken
  double projected_gradient = 0;           ///< largest |x - clamp(x - J^T r)| at the last Jacobian
  long residual_calls = 0;                 ///< in all, trial steps included
  long jacobian_calls = 0;                 ///< in all
  std::vector<LeastSquaresIteration> log;  ///< the start and each iteration

  /// Whether `stop` says so.
  bool converged() const { return stop == Stop::converged; }
};

/// Minimizes 1/2 |r(x)|^2 subject to lower <= x <= upper, dense, by Levenberg-Marquardt (Nielsen 1999) whose steps
/// solve the damped box problem exactly (`BoxQp`): for problems whose Jacobian comes as a whole, as from adjoints.
///
///   auto result = box_least_squares(residual, jacobian, start, lower, upper);
///
/// Takes one Jacobian per iteration, one residual per trial step, and O(rows n^2 + n^3) besides. A residual that cannot
/// be computed, or is not finite, damps the step. Linear residuals are solved by the first iteration. Throws
/// std::invalid_argument for sizes or bounds that do not fit and for options that mean nothing, and what the functions
/// throw.
LeastSquaresResult box_least_squares(const ResidualFunction& residual, const ResidualJacobian& jacobian,
                                     const Eigen::VectorXd& initial, const Eigen::VectorXd& lower,
                                     const Eigen::VectorXd& upper, const LeastSquaresOptions& options = {});

}  // namespace quoin::optimization
