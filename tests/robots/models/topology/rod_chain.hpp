// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cstddef>
#include <vector>

namespace quoin::topology {

/// Rods of 0.3 m on joints alternately about z and y, stretched along x.
struct RodChain {
  Eigen::Index joints = 6;

  Eigen::Index point_count() const { return joints + 1; }
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points) const {
    Eigen::MatrixXd jacobian;
    evaluate(q, points, jacobian);
  }
  void evaluate(const Eigen::VectorXd& q, Eigen::Matrix3Xd& points, Eigen::MatrixXd& jacobian) const {
    points.setZero(3, joints + 1);
    jacobian.setZero(3 * (joints + 1), joints);
    Eigen::Matrix3d turned = Eigen::Matrix3d::Identity();
    std::vector<Eigen::Vector3d> axes;
    for (Eigen::Index i = 0; i < joints; ++i) {
      const Eigen::Vector3d axis = i % 2 == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitY();
      axes.emplace_back(turned * axis);
      turned = turned * Eigen::AngleAxisd(q[i], axis).toRotationMatrix();
      points.col(i + 1) = points.col(i) + turned * Eigen::Vector3d(0.3, 0, 0);
      for (Eigen::Index j = 0; j <= i; ++j)
        jacobian.block<3, 1>(3 * (i + 1), j) =
            axes[static_cast<std::size_t>(j)].cross(points.col(i + 1) - points.col(j));
    }
  }
};

/// A chain around which the rods bend.
inline Eigen::Matrix3Xd pole() {
  Eigen::Matrix3Xd points(3, 4);
  points << 0.5, 0.52, 0.55, 0.5, 0.2, 0.2, 0.25, 0.3, -1, -0.2, 0.3, 1;
  return points;
}

}  // namespace quoin::topology
