// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"
#include "quoin/planning/aico/local_task.hpp"

#include <Eigen/Core>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::planning {

/// Residuals e (N) of a state and their derivative J by its leading entries, N x d or N x n. False:
/// they cannot be computed.
using TaskResidual = std::function<bool(int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J)>;

/// One term of a trajectory's cost: 1/2 rho_t |e_t(x_t)|^2.
struct TaskTerm {
  std::string name = {};           ///< for reports
  TaskResidual residual = {};      ///< unweighted
  Eigen::VectorXd precision = {};  ///< rho_t, t = 0..T, not negative; 0: inactive at t, and not evaluated
};

/// A sum of terms as the task of an AicoProblem:
///
///     problem.task = TaskSum({{"hand", map_residual(hand, [&](int) { return goal; }), at_end(T, 1e4)},
///                             {"clear", map_residual(margins, [&](int) { return world; }), throughout(T, 1e4)},
///                             {"limits", limit_residual(lower, upper, 0.02), throughout(T, 1e2)}});
///
/// Copies share nothing but what the residuals share. Throws std::invalid_argument for a missing residual, a precision
/// that is empty, negative or not finite, terms whose precisions differ in length, and a t outside of them.
class TaskSum {
 public:
  /// The terms have precisions of one length, T + 1.
  explicit TaskSum(std::vector<TaskTerm> terms);

  /// An AicoTask.
  bool operator()(int t, const Eigen::VectorXd& x, LocalTask& task) const;

  /// In the order given.
  const std::vector<TaskTerm>& terms() const { return terms_; }
  /// T.
  int horizon() const { return static_cast<int>(terms_.front().precision.size()) - 1; }

  /// The cost of each term along a trajectory (n x (T+1)), summed over time; NaN where a residual cannot be computed.
  Eigen::VectorXd costs(const Eigen::MatrixXd& states) const;

 private:
  std::vector<TaskTerm> terms_;
};

/// rho at all t = 0..T, and at T alone. Both throw std::invalid_argument for a negative T.
Eigen::VectorXd throughout(int horizon, double precision);
/// Rho at T alone, 0 before.
Eigen::VectorXd at_end(int horizon, double precision);

/// phi(q, environment(t)) of a TaskMap, q being the first half of x: for maps that should vanish, such as margins.
template <class Map, class EnvironmentAt>
TaskResidual map_residual(Map map, EnvironmentAt environment) {
  return [map = std::move(map), environment = std::move(environment)](int t, const Eigen::VectorXd& x,
                                                                      Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    map.evaluate(x.head(x.size() / 2), environment(t), e, J);
    return true;
  };
}

/// phi(q, environment(t)) - target(t), target being as long as phi.
template <class Map, class EnvironmentAt, class TargetAt>
TaskResidual map_residual(Map map, EnvironmentAt environment, TargetAt target) {
  return [phi = map_residual(std::move(map), std::move(environment)), target = std::move(target)](
             int t, const Eigen::VectorXd& x, Eigen::VectorXd& e, Eigen::MatrixXd& J) {
    if (!phi(t, x, e, J)) return false;
    const Eigen::VectorXd& wanted = target(t);
    if (wanted.size() != e.size())
      throw std::invalid_argument("map_residual: a target of " + to_text(wanted.size()) + " numbers for a map of " +
                                  to_text(e.size()));
    e -= wanted;
    return true;
  };
}

/// The signed lengths (d) by which q, the first half of x, is within `margin` of its limits or beyond them. Infinite
/// limits do not count. Throws std::invalid_argument for limits of different length, or closer than 2 margin.
TaskResidual limit_residual(Eigen::VectorXd lower, Eigen::VectorXd upper, double margin);

/// The velocities, the second half of x, which should vanish.
TaskResidual rest_residual();

}  // namespace quoin::planning
