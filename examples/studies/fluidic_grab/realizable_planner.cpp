// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/realizable_planner.hpp"

#include <cmath>

namespace studies::grab {

std::optional<GrabPlan> RealizablePlanner::plan(const fluidic_arm::FluidicSystem& model, const Attempt& wanted) {
  const fluidic_arm::FluidicArm arm(model.arm);
  task_.goal = goal_;
  task_.velocity.setZero();
  if (wanted.refused != nullptr) {
    if (!std::isfinite(wanted.refused->predicted_miss))
      last_.reset();
    else if (!failed_) {
      task_.goal = inverted_task_.goal + goal_ - wanted.refused->predicted_tip;
      task_.velocity = inverted_task_.velocity - wanted.refused->predicted_velocity;
    }
  }
  GrabPlan found = last_ ? plan_grab(arm, task_, *last_)
                         : plan_grab(arm, task_, 97 * seed_ + static_cast<unsigned>(wanted.replan) + 1);
  ++plans_;
  failed_ = !found.plan.converged();
  if (failed_) {
    last_.reset();
    return std::nullopt;
  }
  last_ = found.plan;
  return found;
}

Realization RealizablePlanner::invert(const fluidic_arm::FluidicSystem& model, const GrabPlan& found) {
  inverted_ = found;
  inverted_task_ = task_;
  Realization policy = invert_actuators(model, task_, found.plan, goal_);
  if (!(policy.predicted_miss <= max_predicted_miss)) ++refused_;
  return policy;
}

}  // namespace studies::grab
