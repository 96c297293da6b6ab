// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/local_task.hpp"
#include "quoin/robots/planning/task_terms.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// A sum of terms as the task of an AicoProblem:
///
///     problem.task = TaskSum({{"hand", map_residual(hand, goal), at_end(T, 1e4)},
///                             {"clear", map_residual(margins, world), throughout(T, 1e4)},
///                             {"limits", limit_residual(lower, upper, 0.02), throughout(T, 1e2)}});
///
/// Copies share nothing but what the residuals share. Throws std::invalid_argument for terms that
/// `require_terms` refuses, and a t outside of them.
class TaskSum {
 public:
  /// The terms have precisions of one length, T + 1.
  explicit TaskSum(std::vector<TaskTerm> terms);

  /// An AicoTask.
  bool operator()(int t, const Eigen::VectorXd& x, LocalTask& task) const;

  /// In the order given.
  const std::vector<TaskTerm>& terms() const { return terms_; }
  int horizon() const { return static_cast<int>(terms_.front().precision.size()) - 1; }

  /// The cost of each term along a trajectory (n x (T+1)), summed over time; NaN where a residual cannot be computed.
  Eigen::VectorXd costs(const Eigen::MatrixXd& states) const;

 private:
  std::vector<TaskTerm> terms_;
};

}  // namespace quoin::planning
