// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/collision_checker.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <utility>

namespace quoin {

/// The hinges max(0, margin - distance) of a robot's pairs as a task map: y = phi(q, obstacles), K numbers, with dy/dq.
/// The environment is the list of obstacles, which may move in time.
///
///   MarginMap map(arm_points, checker, 0.02);  // counts with the checker, which must outlive the map
///   map.evaluate(q, world, y, J);              // y: K, J: K x n
///
/// Each call is one check. Throws what the points and `CollisionChecker::margin_residuals` throw.
template <PointKinematics Points>
class MarginMap {
 public:
  /// margin: m, not negative: the first call refuses another. The checker must outlive the map.
  MarginMap(Points points, const CollisionChecker& checker, double margin)
      : points_(std::move(points)), checker_(&checker), margin_(margin) {}

  Eigen::Index output_size(const Obstacles& obstacles) const { return checker_->pair_count(obstacles); }

  void evaluate(const Eigen::VectorXd& q, const Obstacles& obstacles, Eigen::VectorXd& y) const {
    Eigen::Matrix3Xd points;
    points_.evaluate(q, points);
    checker_->margin_residuals(points, obstacles, margin_, y);
  }

  void evaluate(const Eigen::VectorXd& q, const Obstacles& obstacles, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::Matrix3Xd points;
    Eigen::MatrixXd jacobian;
    points_.evaluate(q, points, jacobian);
    checker_->margin_residuals(points, obstacles, margin_, jacobian, y, J);
  }

 private:
  Points points_;
  const CollisionChecker* checker_;
  double margin_;
};

}  // namespace quoin
