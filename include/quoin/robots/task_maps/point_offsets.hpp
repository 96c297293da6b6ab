// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/task_maps/task_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The offsets of points of a robot from their goals, as a task map: y = p_k(q) - goal_k, 3 K numbers, m. The
/// environment is the 3 x K matrix of goals, which may move in time.
///
///     PointOffsets hand(TreePoints(tree, {{tree.frame("hand"), {0, 0, 0.1}}}));
///     hand.evaluate(q, goal, y, J);  // y: 3, J: 3 x n
///
/// Throws std::invalid_argument unless there are as many goals as points, and what the points throw.
template <PointKinematics Points>
class PointOffsets {
 public:
  /// Holds its own copy of the points' kinematics.
  explicit PointOffsets(Points points) : points_(std::move(points)) {}

  Eigen::Index output_size(const Eigen::Matrix3Xd&) const { return 3 * points_.point_count(); }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y) const {
    Eigen::Matrix3Xd places;
    points_.evaluate(q, places);
    subtract(places, goals, y);
  }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    Eigen::Matrix3Xd places;
    points_.evaluate(q, places, J);
    subtract(places, goals, y);
  }

 private:
  static void subtract(const Eigen::Matrix3Xd& places, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y) {
    if (places.cols() != goals.cols())
      throw std::invalid_argument("PointOffsets: " + to_text(goals.cols()) + " goals for " + to_text(places.cols()) +
                                  " points");
    y = (places - goals).reshaped();
  }

  Points points_;
};

}  // namespace quoin
