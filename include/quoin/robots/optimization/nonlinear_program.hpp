// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <functional>
#include <limits>
#include <vector>

namespace quoin::optimization {

/// The positions of the entries of a sparse matrix: entry k at (rows[k], columns[k]), counted from 0.
struct SparsityPattern {
  std::vector<int> rows;     ///< from 0, of each entry
  std::vector<int> columns;  ///< as many
};

/// Minimize f(z) subject to lower <= z <= upper and constraint_lower <= c(z) <= constraint_upper, with exact sparse
/// derivatives. The functions may be called at any z inside the bounds, several times in a row at the same z, in any
/// order; they return false where they cannot be computed. Output vectors already have their size.
struct NonlinearProgram {
  Eigen::VectorXd start;  ///< n, between the bounds
  /// n, infinite where there is no bound.
  Eigen::VectorXd lower, upper;
  /// m, equal for an equation, infinite where there is no bound.
  Eigen::VectorXd constraint_lower, constraint_upper;
  SparsityPattern jacobian;  ///< of c
  SparsityPattern hessian;   ///< of weight f + multipliers^T c, or of a model of it; lower triangle
  std::function<bool(const Eigen::VectorXd& z, double& f)> objective;                           ///< f(z)
  std::function<bool(const Eigen::VectorXd& z, Eigen::VectorXd& gradient)> objective_gradient;  ///< df/dz: n
  std::function<bool(const Eigen::VectorXd& z, Eigen::VectorXd& c)> constraints;                ///< c(z): m
  /// Dc/dz: its entries in the order of the pattern `jacobian`.
  std::function<bool(const Eigen::VectorXd& z, Eigen::VectorXd& entries)> constraint_jacobian;
  std::function<bool(const Eigen::VectorXd& z, double weight, const Eigen::VectorXd& multipliers,
                     Eigen::VectorXd& entries)>
      lagrangian_hessian;  ///< Of weight f + multipliers^T c: its entries in the order of the pattern `hessian`.
};

/// Multipliers of constraints and bounds, to warm-start a similar program.
struct NlpMultipliers {
  /// Lambda of c (m), of lower and of upper bounds (n each), as Ipopt signs them.
  Eigen::VectorXd constraints, lower, upper;
};

using NlpStop [[deprecated("quoin::Stop")]] = Stop;

/// What the observer is told of an iteration, in Ipopt's own terms.
struct NlpIteration {
  int iteration = 0;                ///< from 0
  double objective = 0;             ///< f, unscaled
  double primal_infeasibility = 0;  ///< the largest violation of the constraints
  double dual_infeasibility = 0;    ///< the largest violation of stationarity
  double barrier = 0;               ///< mu of the barrier
  double step = 0;                  ///< of the primal variables, 0 to 1
  double regularization = 0;        ///< added to the Hessian that this step was taken with, to make it convex
  bool restoration = false;         ///< in Ipopt's feasibility restoration phase
};

/// When Ipopt stops, and what it starts from.
struct IpoptOptions {
  double tolerance = 1e-7;             ///< of the scaled optimality conditions
  double constraint_tolerance = 1e-7;  ///< of c, unscaled
  int max_iterations = 500;            ///< of Ipopt's own count
  bool limited_memory = false;         ///< a limited-memory quasi-Newton Hessian instead of the program's
  double max_seconds = std::numeric_limits<double>::infinity();  ///< of wall time; checked in every evaluation
  NlpMultipliers multipliers = {};                               ///< warm start, with `start` close to the solution
  /// Is told of each iteration and its iterate, which is empty in restoration. False stops.
  std::function<bool(const NlpIteration&, const Eigen::VectorXd& z)> observer = {};
};

/// Where Ipopt ended.
struct NlpResult {
  Eigen::VectorXd z;     ///< inside its bounds
  double objective = 0;  ///< f(z)
  /// converged: the first-order conditions hold to the tolerances: of solve_with_ipopt at a minimum or at a saddle, of
  /// leave_saddles, and what calls it, at a minimum. acceptable: Ipopt's acceptable level, 1e-6 where the tolerance is
  /// smaller. infeasible: the violation is locally least, but not zero. saddle: the Lagrangian bends down along a
  /// direction that active constraints leave free, and no lower end was found from there; not of solve_with_ipopt,
  /// which does not look. stalled: line search or restoration failed. Else a limit of iterations or time,
  /// evaluation_failed, stopped_by_observer or solver_error.
  Stop stop = Stop::solver_error;
  int iterations = 0;           ///< by Ipopt's count
  double seconds = 0;           ///< of wall time
  bool in_restoration = false;  ///< it ended while still seeking a feasible point: suspect infeasibility
  NlpMultipliers multipliers;   ///< at z: a warm start

  /// Whether `stop` says so.
  bool converged() const { return stop == Stop::converged; }
};

/// Solves with Ipopt (Waechter, Biegler 2006) and MUMPS, without printing. Defined only where Ipopt was found when the
/// library was built: QUOIN_HAS_IPOPT is then defined for all that link quoin::optimization. Throws
/// std::invalid_argument for sizes that do not fit and for options that mean nothing, and what the functions throw.
NlpResult solve_with_ipopt(const NonlinearProgram& program, const IpoptOptions& options = {});

/// What `negative_curvature` found.
struct NegativeCurvature {
  Eigen::VectorXd direction;  ///< n, its largest entry 1 in magnitude; or empty
  double curvature = 0;       ///< along it, of the Lagrangian
  bool computed = false;      ///< whether derivatives could be computed
};

/// Where a solve that converged has not ended at a minimum: a direction along which the Lagrangian bends down by more
/// than `tolerance` times the sizes of its Hessian's rows, and which leaves equations, and what is pressed against a
/// bound, as they are to first order. None where there is none. In any units of variables, constraints and objective.
///
/// One Hessian, and steps of Ipopt on the quadratic program that it makes with a random slope: one where it is convex
/// on those directions, as the factorization's inertia tells; else some more, which grow along the direction. Of up to
/// 2000 variables also a rank-revealing factorization of what is held: if rows depend on each other the inertia may not
/// tell, and a basis of what they leave free does. Defined only where QUOIN_HAS_IPOPT is. Throws what the program's
/// functions throw. solved: by `solve_with_ipopt` of this program.
NegativeCurvature negative_curvature(const NonlinearProgram& program, const NlpResult& solved, double tolerance = 1e-6);

/// Goes on from where a solve of this program has converged, until `negative_curvature` finds no direction: else solves
/// begin on either side, at lengths at which it promises 0.1, 0.001 and all of the objective, or where that is next to
/// none as much of the way to zero, until the lower of two ends below. Where all come back they refute it; else, and
/// where iterations or seconds are spent, the word is `saddle`. The limits of `options` count for all solves together,
/// and so do iterations and seconds of the result. The Hessian must be that of the Lagrangian, no model of it.
NlpResult leave_saddles(const NonlinearProgram& program, NlpResult solved, const IpoptOptions& options = {},
                        double curvature_tolerance = 1e-6);

}  // namespace quoin::optimization
