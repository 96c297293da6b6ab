// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/realization.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/iterative_learning.hpp"

#include <optional>

namespace studies::grab {

/// A plan that the model itself expects to miss the goal by more, by distance or by speed, is not run.
inline constexpr double max_predicted_miss = 1;
inline constexpr int max_replans = 5;

/// Algorithm 2's search for a plan that the cylinders can realize. A refused plan is planned again, starting from it,
/// for a goal and a velocity there shifted by what is predicted; if that fails, from a random start for the goal
/// itself.
class RealizablePlanner {
 public:
  using Attempt = identification::PlanAttempt<Realization>;

  RealizablePlanner(const GrabTask& task, unsigned seed) : goal_(task.goal), seed_(seed), task_(task) {}

  /// No plan if the solver did not converge.
  std::optional<GrabPlan> plan(const fluidic_arm::FluidicSystem& model, const Attempt& wanted);
  Realization invert(const fluidic_arm::FluidicSystem& model, const GrabPlan& found);

  /// The task of the last plan that was inverted.
  const GrabTask& task() const { return inverted_task_; }
  const GrabPlan& plan() const { return inverted_; }
  int plans() const { return plans_; }  ///< attempted, including failures
  int refused() const { return refused_; }

 private:
  Eigen::Vector2d goal_;
  unsigned seed_;
  GrabTask task_, inverted_task_ = task_;
  GrabPlan inverted_;
  std::optional<planning::CollocationPlan> last_;
  bool failed_ = false;  // the last attempt
  int plans_ = 0, refused_ = 0;
};

}  // namespace studies::grab
