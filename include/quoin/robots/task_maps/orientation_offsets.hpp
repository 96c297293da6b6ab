// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/task_maps/task_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// How far frames of a robot are turned from their goals, as a task map: y_k = log(R_k(q) G_k^T), the rotation vector
/// in world axes that turns the goal into the frame, 3 K numbers, rad. The environment is the 3 x 3 K matrix of the
/// goals' rotations side by side, which may move in time: for one frame a rotation matrix.
///
///     OrientationOffsets upright(rigid_body::TreeFrames(tree, {tree.frame("hand")}));
///     upright.evaluate(q, goal.toRotationMatrix(), y, J);  // y: 3, J: 3 x n
///
/// Smooth but where a frame is turned by pi, where the shorter way changes: there it takes one of both. Throws
/// std::invalid_argument unless there are as many goals as frames, all of them rotations to 1e-9, and what the frames
/// throw.
template <FrameKinematics Frames>
class OrientationOffsets {
 public:
  /// Holds its own copy of the frames' kinematics.
  explicit OrientationOffsets(Frames frames) : frames_(std::move(frames)) {}

  Eigen::Index output_size(const Eigen::Matrix3Xd&) const { return 3 * frames_.frame_count(); }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y) const {
    std::vector<Eigen::Isometry3d> poses;
    frames_.evaluate(q, poses);
    subtract(poses, goals, y);
  }

  void evaluate(const Eigen::VectorXd& q, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    std::vector<Eigen::Isometry3d> poses;
    Eigen::MatrixXd motion;
    frames_.evaluate(q, poses, motion);
    subtract(poses, goals, y);
    J.resize(y.size(), motion.cols());
    for (Eigen::Index k = 0; k < frames_.frame_count(); ++k)
      J.middleRows<3>(3 * k).noalias() = logarithm_rate(y.segment<3>(3 * k)) * motion.middleRows<3>(6 * k + 3);
  }

 private:
  static void subtract(const std::vector<Eigen::Isometry3d>& poses, const Eigen::Matrix3Xd& goals, Eigen::VectorXd& y) {
    const auto count = static_cast<Eigen::Index>(poses.size());
    if (goals.cols() != 3 * count)
      throw std::invalid_argument("OrientationOffsets: goals of 3 x " + to_text(goals.cols()) + " for " +
                                  to_text(count) + " frames: 3 x 3 each");
    y.resize(3 * count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::Matrix3d goal = goals.middleCols<3>(3 * k);
      const double off = (goal.transpose() * goal - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
      if (!(off < 1e-9) || goal.determinant() < 0)
        throw std::invalid_argument("OrientationOffsets: goal " + to_text(k) +
                                    " is no rotation: R^T R differs from 1 by " + to_text(off) +
                                    ", its determinant is " + to_text(goal.determinant()));
      // By the quaternion: exact near 0, where a trace loses half of the digits, and near pi
      const Eigen::AngleAxisd turn(
          Eigen::Quaterniond(Eigen::Matrix3d(poses[static_cast<std::size_t>(k)].linear() * goal.transpose())));
      y.segment<3>(3 * k) = turn.angle() * turn.axis();
    }
  }

  /// d log(R) / d (R's angular velocity in world axes) at log(R) = y: 1 - [y]/2 + c [y]^2,
  /// c = (1 - t/2 cot(t/2)) / t^2, t = |y|.
  static Eigen::Matrix3d logarithm_rate(const Eigen::Vector3d& y) {
    const double t2 = y.squaredNorm(), half = 0.5 * std::sqrt(t2);
    const double c = t2 < 1e-4 ? (1 + t2 / 60) / 12 : (1 - half / std::tan(half)) / t2;
    Eigen::Matrix3d cross;
    cross << 0, -y[2], y[1], y[2], 0, -y[0], -y[1], y[0], 0;
    return Eigen::Matrix3d::Identity() - 0.5 * cross + c * cross * cross;
  }

  Frames frames_;
};

}  // namespace quoin
