// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/arm7/capsule_arm.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/geometry/collision_checker.hpp"

#include <Eigen/Core>

#include <functional>

namespace studies {

/// How near a path comes to what it should keep away from.
struct PathVerdict {
  double clearance = 0;      ///< m, the least signed distance of all pairs, anywhere on the path
  double worst_at = 0;       ///< where: column and fraction
  double limits_passed = 0;  ///< rad, by how much a joint is beyond its limits at most
  double longest_step = 0;   ///< m, that a point of the arm moves from one sample to the next

  bool free() const { return clearance > 0; }
};

/// The path (d x (T+1)) interpolated linearly between its columns, `substeps` samples each, against obstacles that may
/// move: obstacles_at(t), t in columns. It has a checker of its own, so that whoever counts a planner's checks does not
/// see it.
PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path,
                        const std::function<Obstacles(double t)>& obstacles_at, int substeps = 20);
PathVerdict verify_path(const CapsuleArm& arm, const Eigen::MatrixXd& path, const Obstacles& obstacles,
                        int substeps = 20);

}  // namespace studies
