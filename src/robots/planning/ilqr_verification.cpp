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
    if (!refuted_) return verify_closer();
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
  regularization_ = 0;  // this model is convex: the damping of Gauss-Newton's would only cut its steps short
  regularization_factor_ = 1;
  return Inner::go_on;
}

/// Where rollouts refute a negative curvature: motions are sensitive, and it may change its sign between a plan that
/// has converged to the tolerance and the minimum itself. So it is asked there. If that is a minimum, and no lower than
/// the tolerance allows, the plan stays as it was; calls count what it took.
IlqrSolver::Inner IlqrSolver::verify_closer() {
  constexpr double closer = 1e-4;
  const StagedTrajectory plan = motion_;
  const std::vector<Eigen::MatrixXd> gains = result_.gains;
  const double gradient = result_.projected_gradient;
  const int iterations = result_.iterations;
  const std::size_t entries = result_.log.size();
  refuted_ = exact_ = true;
  Inner inner = minimize(closer * options_.relative_tolerance);
  if (inner == Inner::converged || inner == Inner::stalled) inner = verify();
  const double allowed = std::max(multiple * options_.relative_tolerance, rounding) * motion_.merit;
  if (inner != Inner::converged || plan.merit - motion_.merit > allowed) return inner;
  trial_ = plan;
  accept_trial(false);
  result_.gains = gains;
  result_.projected_gradient = gradient;
  result_.iterations = iterations;
  result_.log.resize(entries);
  return inner;
}

}  // namespace quoin::planning
