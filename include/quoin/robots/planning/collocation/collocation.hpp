// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "quoin/robots/planning/collocation/plan.hpp"
#include "quoin/robots/planning/collocation/problem.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// Scales only condition the program; results are in natural units, but constraint tolerances apply to the scaled
/// constraints. Automatic scales: of states and controls, half the width of their bounds where both are finite; else 1,
/// or where that is 30 times too small or too large, their size, which guess, cost and dynamics at the guess tell; of
/// rates, the response of the dynamics at the guess to one such unit; of the equations' rows, their largest entry
/// there, and so of constraints' rows where it is below 1e-4, else 1; of the cost, its slopes for one such unit, one
/// unit of the controls away from the guess.
struct CollocationOptions {
  /// Of the dynamics between mesh points, and of the running cost.
  CollocationScheme scheme = CollocationScheme::hermite_simpson;
  optimization::IpoptOptions ipopt = {};  ///< its multipliers are ignored: they come with the guess
  Eigen::VectorXd state_scale = {};       ///< n, or empty for automatic
  Eigen::VectorXd control_scale = {};     ///< m
  Eigen::VectorXd rate_scale = {};        ///< k
  Eigen::VectorXd dynamics_scale = {};    ///< k: what the node equations are multiplied by
  double cost_scale = 0;                  ///< what the cost is multiplied by; 0 for automatic
  int defect_substeps = 10;               ///< Runge-Kutta steps per interval, to measure the plan's defects
  /// Where the solver converged, second derivatives decide whether the plan is a minimum: one Hessian and one
  /// factorization where it is. Where it is not, further solves begin on either side of it, along the direction that
  /// bends down, within the limits of iterations and seconds of `ipopt`, and the lower one counts; else the word is
  /// `saddle`.
  bool check_curvature = true;
  double curvature_tolerance = 1e-6;  ///< how far the Lagrangian may bend down at a minimum, beside its own Hessian
};

/// Direct collocation (von Stryk 1993; Marchese, Tedrake, Rus 2015, Eqs. 22-27) by Ipopt. Variables of each node are x,
/// w, u (see NodeDynamics): linear defects, exact sparse first derivatives, and a Hessian, dense within a node, by
/// forward differences of the nodes' exact gradients: n (+ m unless affine in u) calls with derivatives per node.
///
/// guess: any plan; on another mesh or scheme its polynomials are evaluated, and the rates solved from the dynamics
/// (for a guess without rates: the slopes of its states). On the same mesh and scheme, with multipliers, it is a warm
/// start. See the example at CollocationProblem. The dynamics are evaluated wherever the iterates are within the
/// bounds. Exceptions of the problem's functions propagate. Defined only where QUOIN_HAS_IPOPT is. Throws
/// std::invalid_argument for sizes or bounds that do not fit.
CollocationPlan collocation(const CollocationProblem& problem, const CollocationPlan& guess,
                            const CollocationOptions& options = {});

/// The program that `collocation` solves, in scaled variables; for other solvers, and for checks of derivatives. It
/// holds copies of what it needs. Its functions share one workspace: one thread at a time.
optimization::NonlinearProgram collocation_program(const CollocationProblem& problem, const CollocationPlan& guess,
                                                   const CollocationOptions& options = {});

}  // namespace quoin::planning
