// SPDX-License-Identifier: BSD-3-Clause
// How ilqr leaves a point from which the merit bends down.
#include "ilqr_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace quoin::planning {

/// Rolls out along the direction of negative curvature that the sweep has turned to, either way, from the length that
/// promises the whole merit down to where a tenth of the tolerance is promised, and appends what has fallen by a tenth
/// of its promise, `most` motions at most. True where rollouts failed even at the last length.
bool IlqrSolver::descend(int most, std::vector<Descent>& descents) {
  const double curvature = -sweep_.quadratic_term();
  const double towards = sweep_.linear_term() > 0 ? -1 : 1;
  const double least = std::max(0.1 * options_.relative_tolerance, rounding) * motion_.merit;
  bool failed = false;
  int found = 0;
  for (double promised = motion_.merit; promised > least && found < most; promised *= 0.25) {
    const double length = std::sqrt(promised / curvature), bound = motion_.merit - 0.1 * promised;
    failed = false;  // far off the dynamics may end; what counts is whether they can be followed a little
    for (const double way : {towards, -towards}) {
      if (!roll_out(way * length, bound, false)) {
        failed = failed || !(trial_.merit > bound);
        continue;
      }
      descents.push_back({.motion = trial_, .promised = promised});
      ++found;
      break;
    }
  }
  return failed && found == 0;
}

/// Goes on from a motion that has fallen, as an iteration of its own. False where the observer stops.
bool IlqrSolver::take(Descent descent) {
  std::swap(trial_, descent.motion);
  accept_trial(false);
  exact_ = descent.exact;
  ++result_.iterations;
  return record({.projected_gradient = sweep_.projected_gradient(), .expected_decrease = descent.promised, .step = 1});
}

/// Follows each descent to where `coarse` of the merit is promised, and goes on from the lowest: which basin a descent
/// ends in depends on its direction, its length and the curvature of its steps, and none of them is best everywhere.
/// Iterations and log become those of the one that is kept; calls are of all.
IlqrSolver::Inner IlqrSolver::follow(std::vector<Descent> descents) {
  constexpr double coarse = 1e-4;
  const auto start = [&](Descent descent) {
    regularization_ = 0;
    regularization_factor_ = share_ = 1;
    poor_steps_ = 0;
    return take(std::move(descent));
  };
  const int iterations = result_.iterations;
  const auto entries = static_cast<std::ptrdiff_t>(result_.log.size());
  const Eigen::VectorXd largest_control = largest_control_;
  StagedTrajectory best = motion_;
  std::vector<IlqrIteration> best_log;
  int best_iterations = iterations;
  Eigen::VectorXd best_largest_control = largest_control;
  bool stopped = false;
  for (Descent& descent : descents) {
    result_.iterations = iterations;
    largest_control_ = largest_control;
    stopped = !start(std::move(descent)) || minimize(std::max(coarse, options_.relative_tolerance)) == Inner::observer;
    if (motion_.merit < best.merit) {
      best = motion_;
      best_log.assign(result_.log.begin() + entries, result_.log.end());
      best_iterations = result_.iterations;
      best_largest_control = largest_control_;
    }
    result_.log.resize(entries);
    if (stopped) break;
  }
  trial_ = std::move(best);
  accept_trial(false);
  result_.iterations = best_iterations;
  result_.log.insert(result_.log.end(), best_log.begin(), best_log.end());
  largest_control_ = best_largest_control;
  regularization_ = 0;
  regularization_factor_ = share_ = 1;
  poor_steps_ = 0;
  exact_ = true;
  return stopped ? Inner::observer : Inner::go_on;
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
  constexpr double deep = 0.01;  // of the merit: what falls by less is no choice between basins
  const bool choose = options_.explore_saddle && !explored_;
  std::vector<Descent> longest;
  if (descend(choose ? 3 : 1, longest)) return Inner::saddle;
  if (longest.empty()) return Inner::converged;
  if (!choose || longest.front().promised < deep * motion_.merit) {
    return take(std::move(longest.front())) ? Inner::go_on : Inner::observer;
  }
  explored_ = true;
  std::vector<Descent> descents;
  const auto add = [&] {
    descents.push_back(longest.front());
    descents.back().exact = false;
    if (longest.size() < 3) return;
    descents.push_back(longest[2]);
    descents.push_back(longest[2]);
    descents.back().exact = false;
  };
  add();
  longest.clear();
  // The whole of the curvature usually makes another stage the last that bends down: a second direction.
  if (!convex(1) && sweep_.turn_to_negative_curvature(motion_, stages_, lagrangian_, hessians_)) descend(3, longest);
  if (!longest.empty()) add();
  return follow(std::move(descents));
}

}  // namespace quoin::planning
