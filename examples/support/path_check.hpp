// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/geometry/collision_checker.hpp"
#include "quoin/models/rigid_body/tree_points.hpp"

#include <Eigen/Core>

namespace quoin::study {

/// What a path meets between its points too: q (d x any number) is followed along straight lines, in steps in which no joint
/// moves by more than `step`, rad.
struct PathCheck {
  double least_distance = 0;  ///< m, signed
  double share = 0;           ///< of configurations that collide
  int configurations = 0;

  bool is_free() const { return least_distance >= 0; }
};

PathCheck check_path(const rigid_body::TreePoints& points, const CollisionChecker& checker, const Obstacles& obstacles,
                     const Eigen::MatrixXd& q, double step = 0.01);

}  // namespace quoin::study
