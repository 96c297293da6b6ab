// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <concepts>
#include <vector>

namespace quoin {

/// The quantities by which a robot's task is judged: y = phi(q, environment), N functions of n joint coordinates and of
/// an environment that moves on its own, with the derivative with respect to q. Planners see nothing else of a task.
///
/// Outputs are resized as needed. Throws std::invalid_argument for a q or an environment that does not fit.
template <class Map, class Environment = Eigen::Matrix3Xd>
concept TaskMap = requires(const Map& map, const Eigen::VectorXd& q, const Environment& environment, Eigen::VectorXd& y,
                           Eigen::MatrixXd& J) {
  { map.output_size(environment) } -> std::convertible_to<Eigen::Index>;  // N
  map.evaluate(q, environment, y);                                        // y: N
  map.evaluate(q, environment, y, J);                                     // J: N x n
};

/// The positions of K points of a robot and their derivatives with respect to its n joint coordinates. Chains and
/// landmarks of every kind of robot enter task maps through it.
///
/// points: 3 x K, m, in the world. jacobian: 3 K x n, rows 3 k to 3 k + 2 of point k.
template <class Points>
concept PointKinematics =
    requires(const Points& points, const Eigen::VectorXd& q, Eigen::Matrix3Xd& p, Eigen::MatrixXd& jacobian) {
      { points.point_count() } -> std::convertible_to<Eigen::Index>;
      points.evaluate(q, p);
      points.evaluate(q, p, jacobian);
    };

/// The places of K frames of a robot, and how they move with its n joint coordinates. Orientations and contacts enter
/// task maps through it.
///
/// poses: K, frame to world, m. jacobian: 6 K x n; rows 6 k to 6 k + 2 times dq/dt are the velocity of the origin of
/// frame k, rows 6 k + 3 to 6 k + 5 its angular velocity, both in world axes.
template <class Frames>
concept FrameKinematics = requires(const Frames& frames, const Eigen::VectorXd& q,
                                   std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& jacobian) {
  { frames.frame_count() } -> std::convertible_to<Eigen::Index>;
  frames.evaluate(q, poses);
  frames.evaluate(q, poses, jacobian);
};

}  // namespace quoin
