// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"

#include <Eigen/Core>

#include <functional>

namespace studies {

/// How well a path keeps clear of obstacles and within limits.
struct PathVerdict {
  double clearance = 0;      ///< m, least signed distance over all pairs and the whole path
  double worst_at = 0;       ///< where: column and fraction
  double limits_passed = 0;  ///< rad, most that a joint is beyond its limits
  double longest_step = 0;   ///< m, most that a point of the arm moves between samples

  bool free() const { return clearance > 0; }
};

/// Checks the path (d x (T+1)), interpolated linearly between its columns with `substeps` samples each, against
/// obstacles that may move: obstacles_at(t), t in columns. It uses a checker of its own, so that its checks are
/// not counted among a planner's.
PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path,
                        const std::function<Obstacles(double t)>& obstacles_at, int substeps = 20);
PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path, const Obstacles& obstacles,
                        int substeps = 20);

}  // namespace studies
