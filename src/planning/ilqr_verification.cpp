// SPDX-License-Identifier: BSD-3-Clause
#include "exact_hessians.hpp"
#include "ilqr_solver.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::planning {
namespace {

constexpr double multiple = 6;  // of relative_tolerance: how far above its basin's optimum a plan may converge

}  // namespace

/// Whether the gradient, or a step without damping, vanishes beside what it is made of.
bool IlqrSolver::stationary() {
  const auto still = [&](const Eigen::VectorXd& step) {
    return (step.cwiseAbs().array() <= options_.gradient_tolerance * largest_control_.array()).all();
  };
  if (regularization_ == 0 && std::all_of(sweep_.steps().begin(), sweep_.steps().end(), still)) return true;
  // What a step promises is of second order in the gradient: the second sweep is made near a zero of it alone.
  return expected_decrease() <= options_.gradient_tolerance * motion_.merit &&
         sweep_.relative_gradient(motion_, stages_) <= options_.gradient_tolerance;
}

/// Whether `share` of the exact Hessians leaves the model convex at the controls that are free.
bool IlqrSolver::convex(double share) {
  return sweep_.convex(motion_, stages_, lagrangian_, options_.curvature_tolerance, hessians_, share);
}

/// Asks the second derivatives whether a point where nothing more is promised is a minimum.
IlqrSolver::Inner IlqrSolver::verify() {
  result_.gains = sweep_.gains();
  if (!take_derivatives()) return Inner::derivatives_failed;
  if (!take_hessians()) return Inner::stalled;
  double share = 1;
  if (!convex(share)) {
    Inner left = leave_saddle(share);
    if (left == Inner::converged && share < 0.5) {
      // So much curvature that is not there: the differences went over a jump, or the third derivatives are large.
      constexpr double finer = 1e-7;
      if (!exact_hessians(problem_, motion_, stages_, lagrangian_, options_.threads, hessians_,
                          result_.derivative_calls, finer)) {
        return Inner::stalled;
      }
      share = 1;
      if (!convex(share)) left = leave_saddle(share);
    }
    if (left != Inner::converged) return left;
  }
  if (!sweep_.run(motion_, stages_, lagrangian_, options_.curvature_tolerance, &hessians_, share) &&
      !sweep_.run(motion_, stages_, lagrangian_, options_.curvature_tolerance)) {
    return Inner::stalled;
  }
  result_.projected_gradient = sweep_.projected_gradient();
  const double allowed = std::max(multiple * options_.relative_tolerance, rounding) * motion_.merit;
  if (stationary() || expected_decrease() <= allowed) return Inner::converged;
  const bool idle = verified_merit_ - motion_.merit <= options_.relative_tolerance * motion_.merit;
  if (exact_ && idle) return Inner::stalled;
  verified_merit_ = motion_.merit;
  exact_ = true;
  return Inner::go_on;
}

/// Follows the direction in which the merit bends down most beside Gauss-Newton's model of it, either way, as far as
/// the merit falls. `share` of the exact Hessians is known to be too much for a convex model; it becomes the greatest
/// that is not. `converged` where the merit does not fall by the tolerance at any length: either it bends down no
/// further than that, or differences that meet the face of a grid's cell, or rounding, were taken for curvature.
IlqrSolver::Inner IlqrSolver::leave_saddle(double& share) {
  double bent = share;
  share = 0;
  while (bent - share > 0.1 * std::min(share, 1 - share) && bent > 1e-8) {
    const double middle = share > 0 ? std::sqrt(share * bent) : 0.1 * bent;
    (convex(middle) ? share : bent) = middle;
  }
  if (convex(bent) || !sweep_.turn_to_negative_curvature(motion_, stages_, lagrangian_, hessians_)) {
    return Inner::converged;
  }
  if (result_.iterations >= options_.max_iterations) return Inner::limit;
  const double curvature = -sweep_.quadratic_term();
  const double towards = sweep_.linear_term() > 0 ? -1 : 1;
  bool failed = false;
  double promised = motion_.merit;
  const double least = std::max(0.1 * options_.relative_tolerance, rounding) * motion_.merit;
  for (; promised > least; promised *= 0.25) {
    const double length = std::sqrt(promised / curvature), bound = motion_.merit - 0.1 * promised;
    failed = false;  // far off the dynamics may end; what counts is whether they can be followed a little
    for (const double way : {towards, -towards}) {
      if (!roll_out(way * length, bound, false)) {
        failed = failed || !(trial_.merit > bound);
        continue;
      }
      accept_trial(false);
      exact_ = true;
      ++result_.iterations;
      return record({.projected_gradient = sweep_.projected_gradient(), .expected_decrease = promised, .step = 1})
                 ? Inner::go_on
                 : Inner::observer;
    }
  }
  return failed ? Inner::saddle : Inner::converged;
}

}  // namespace quoin::planning
