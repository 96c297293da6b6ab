// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/topology/writhe.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::topology {

/// The writhe of a robot's chain and a chain of the environment as a TaskMap (Zarubin et al.
/// 2012, section II-A, Eq. 3).
///
///     WritheMap map(chain_of_the_arm, {.form = WritheForm::of_robot_segments});
///     map.evaluate(q, pole, y, J);  // pole: 3 x L, where it is now
///
/// O(K L) and the product of two matrices, size x 3 K and 3 K x n.
template <PointKinematics Points>
class WritheMap {
 public:
  /// robot: the points of its chain, in order.
  explicit WritheMap(Points robot, const WritheOptions& options = {}) : robot_(std::move(robot)), options_(options) {}

  /// As they were given.
  const WritheOptions& options() const { return options_; }
  Fingerprint fingerprint() const  ///< of the chain and the options
    requires Fingerprinted<Points>
  {
    return Fingerprint("topology::WritheMap")
        .add("robot", robot_.fingerprint())
        .add("form", options_.form)
        .add("absolute", options_.absolute)
        .add("normalized", options_.normalized);
  }
  Eigen::Index output_size(const Eigen::Matrix3Xd& environment) const {
    return writhe_size(options_.form, robot_.point_count(), environment.cols());
  }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y) const {
    Eigen::Matrix3Xd points;
    robot_.evaluate(q, points);
    writhe(points, environment, options_, y);
  }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& environment, Eigen::VectorXd& y,
                Eigen::MatrixXd& J) const {
    Eigen::Matrix3Xd points;
    Eigen::MatrixXd moved, by_points;
    robot_.evaluate(q, points, moved);
    writhe(points, environment, options_, y, &by_points);
    if (options_.form != WritheForm::matrix) {
      J.noalias() = by_points * moved;
      return;
    }
    // A pair of segments depends on two of the robot's points.
    const Eigen::Index others = environment.cols() - 1;
    J.resize(y.size(), moved.cols());
    for (Eigen::Index i = 0; i + 1 < points.cols(); ++i)
      J.middleRows(i * others, others).noalias() =
          by_points.block(i * others, 3 * i, others, 6) * moved.middleRows(3 * i, 6);
  }

 private:
  Points robot_;
  WritheOptions options_;
};

}  // namespace quoin::topology
