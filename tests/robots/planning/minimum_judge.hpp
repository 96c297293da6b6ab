// SPDX-License-Identifier: BSD-3-Clause
// Whether controls are a minimum, by the whole Hessian of the cost: it shares nothing with a planner's own recursions.
#pragma once

#include "quoin/robots/optimization/box_qp.hpp"
#include "quoin/robots/planning/trajectory_problem.hpp"
#include "testing/robots/random_matrix.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>
#include <vector>

namespace quoin::planning::test {

/// Of controls off their bounds, or on one without being pressed against it.
struct Judgement {
  double least_curvature = 0;  ///< the least eigenvalue, over what effort alone would give
  double decrease = 0;  ///< what Newton's step within bounds would take off the cost, over the cost; at a saddle,
  ///< what a way along its direction does
};

template <class Problem>
Judgement judge(const Problem& problem, const Matrix& controls, double effort) {
  const auto gradient = [&](const Vector& all) -> Vector {
    return cost_gradient(problem, all.reshaped(controls.rows(), controls.cols())).gradient.reshaped();
  };
  const Vector centre = controls.reshaped(), slope = gradient(centre);
  std::vector<Eigen::Index> free;
  for (Eigen::Index k = 0; k < centre.size(); ++k) {
    const Eigen::Index j = k % controls.rows();
    const bool held = (problem.lower_control.size() > 0 && centre[k] <= problem.lower_control[j] && slope[k] >= 0) ||
                      (problem.upper_control.size() > 0 && centre[k] >= problem.upper_control[j] && slope[k] <= 0);
    if (!held) free.push_back(k);
  }
  if (free.empty()) return {};
  const double step = 1e-8 * std::max(1e-3, centre.cwiseAbs().maxCoeff());
  const auto size = static_cast<Eigen::Index>(free.size());
  Matrix hessian(size, size);
  Vector moved = centre;
  for (Eigen::Index a = 0; a < size; ++a) {
    moved[free[a]] = centre[free[a]] + step;
    const Vector above = gradient(moved);
    moved[free[a]] = centre[free[a]] - step;
    hessian.col(a) = ((above - gradient(moved)) / (2 * step))(free);
    moved[free[a]] = centre[free[a]];
  }
  hessian = (0.5 * (hessian + hessian.transpose())).eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(hessian);
  const double cost = roll_out(problem, controls).trajectory.cost;
  Judgement result{.least_curvature = solver.eigenvalues()[0] / (effort * effort)};
  if (result.least_curvature <= 0) {
    for (double length = 10; length > 1e-6; length *= 0.5) {
      for (const double way : {length, -length}) {
        moved(free) = centre(free) + way * solver.eigenvectors().col(0);
        for (Eigen::Index j = 0; j < moved.size(); ++j) {
          const Eigen::Index row = j % controls.rows();
          if (problem.upper_control.size() > 0) moved[j] = std::min(moved[j], problem.upper_control[row]);
          if (problem.lower_control.size() > 0) moved[j] = std::max(moved[j], problem.lower_control[row]);
        }
        const double there = roll_out(problem, moved.reshaped(controls.rows(), controls.cols())).trajectory.cost;
        result.decrease = std::max(result.decrease, (cost - there) / cost);
      }
    }
  } else {
    Vector below = centre(free), above = below, newton = Vector::Zero(size);
    for (Eigen::Index a = 0; a < size; ++a) {
      const Eigen::Index j = free[a] % controls.rows();
      below[a] = problem.lower_control.size() > 0 ? problem.lower_control[j] - below[a] : -1e30;
      above[a] = problem.upper_control.size() > 0 ? problem.upper_control[j] - above[a] : 1e30;
    }
    const Vector free_slope = slope(free);
    optimization::BoxQp().solve(hessian, free_slope, below, above, newton);
    result.decrease = -newton.dot(free_slope + 0.5 * hessian * newton) / cost;
  }
  return result;
}

}  // namespace quoin::planning::test
