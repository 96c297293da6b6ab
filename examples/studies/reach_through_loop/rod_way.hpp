// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/hollow_box.hpp"

#include <Eigen/Core>

#include <functional>

namespace studies::loop {

/// Prior knowledge of how to reach into a box. It comes from the box alone, without any posture of the arm.
enum class Way {
  to_end,   ///< where the rod should be in the end: on the axis of the box, its tip at the goal
  into_box  ///< that, and how it slides in along the axis in the second half of the time
};

/// Targets y_t = phi(rod_t) for t = 0..steps, a column each. phi is of points on the rod at the
/// distances `from_tip`. Where the way does not determine the rod, y is on a straight line from phi(rod at
/// the start) to the first that it does.
Eigen::MatrixXd targets_along(Way way, const HollowBox& box, const Eigen::VectorXd& from_tip,
                              const Eigen::Matrix3Xd& rod_at_start, int steps,
                              const std::function<Eigen::VectorXd(const Eigen::Matrix3Xd& rod)>& phi);

}  // namespace studies::loop
