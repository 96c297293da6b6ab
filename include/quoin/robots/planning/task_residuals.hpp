// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/stage_functions.hpp"
#include "quoin/robots/planning/task_terms.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// Tasks as the residuals of a TrajectoryProblem, for `ilqr`, `collocation` and their like: the cost is the sum of
/// 1/2 rho_t |e_t(x_t)|^2 over terms and t = 0..T, and of 1/2 u_t^T H u_t over t < T, as that of `aico` with a TaskSum
/// of the same terms and H.
///
///     TaskResiduals reach({{"hand", map_residual(PointOffsets(hand), goal), at_end(T, 1e4)},
///                          {"clear", map_residual(margins, world), throughout(T, 1e4)},
///                          {"rest", rest_residual(), at_end(T, 1e2)}},
///                         VectorXd::Constant(n, 1e-5));  // the diagonal of H
///     TrajectoryProblem problem{.dynamics = RungeKutta(arm, 0.02), .residuals = reach, .horizon = T, ...};
///
/// Copies share nothing but what the residuals share. Throws std::invalid_argument for terms that `require_terms`
/// refuses, entries of H that are negative or not finite, and a step, control or derivative that does not fit.
class TaskResiduals {
 public:
  /// The terms have precisions of one length, T + 1. control_precision: m.
  TaskResiduals(std::vector<TaskTerm> terms, const Eigen::VectorXd& control_precision);

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const;
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const;

  /// In the order given.
  const std::vector<TaskTerm>& terms() const { return terms_; }
  int horizon() const { return static_cast<int>(terms_.front().precision.size()) - 1; }

 private:
  std::vector<TaskTerm> terms_;
  Eigen::VectorXd control_root_;  // the roots of H
};

static_assert(StageResiduals<TaskResiduals>);

}  // namespace quoin::planning
