// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <vector>

namespace studies::grab {

/// An arm at rest under torques within limits.
struct RestingPose {
  Eigen::VectorXd q;        ///< bend angles, rad
  Eigen::VectorXd torques;  ///< of the actuated segments, N m
  Eigen::Vector2d tip = Eigen::Vector2d::Zero();
  double distance = 1e30;  ///< of the tip from the goal, m
  bool stable = false;     ///< a minimum of the energy: the arm stays there
};

/// Eq. 21 of the paper: where the tip of an arm can rest, with |torques| <= limits, |angles| <= largest_angle.
///
///     StaticReach reach(arm, torque_limits);
///     RestingPose pose = reach.closest(goal, start);
///     if (pose.distance < 1e-3) ...                      // pose.torques hold the tip at the goal
///
/// As in Eq. 21, poses at rest need not be stable. Closest poses are local minima: search from several starts.
class StaticReach {
 public:
  /// Throws std::invalid_argument for limits that do not fit the arm.
  StaticReach(fluidic_arm::FluidicArm arm, const Eigen::VectorXd& limits, double largest_angle = 2.5);

  const fluidic_arm::FluidicArm& arm() const { return arm_; }

  /// The pose at rest whose tip is closest to a goal, by Ipopt from a start; distance 1e30
  /// if no pose at rest was found.
  RestingPose closest(const Eigen::Vector2d& goal, const Eigen::VectorXd& start) const;
  /// The closest from several starts; stops at the first within `enough`.
  RestingPose closest(const Eigen::Vector2d& goal, const std::vector<Eigen::VectorXd>& starts, double enough) const;

  /// Stable equilibria under torques on a lattice of `levels` each, followed from one to the next.
  std::vector<RestingPose> forward_image(int levels) const;

 private:
  RestingPose pose(const Eigen::VectorXd& q, const Eigen::Vector2d& goal) const;

  fluidic_arm::FluidicArm arm_;
  Eigen::VectorXd limits_;  // of all segments, 0 for the passive ones
  double largest_angle_;
};

}  // namespace studies::grab
