// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/fcl/fcl_distances.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <utility>
#include <vector>

namespace quoin {

/// The hinges max(0, margin - distance) of the pairs of an FclModel as a task map, as MarginMap has them of capsules:
/// y = phi(q, poses of the obstacles), K numbers, with dy/dq.
///
///     FclMarginMap clear(rigid_body::TreeFrames(tree, frames), FclDistances(model), 0.02);
///     clear.evaluate(q, poses, y, J);  // poses: a std::vector<Eigen::Isometry3d>, one for each obstacle
///
/// J is the derivative where the bodies are apart; see FclDistances for what is known of those that overlap. Throws
/// what the frames and FclDistances throw.
template <FrameKinematics Frames>
class FclMarginMap {
 public:
  /// Where the obstacles are, to world.
  using Poses = std::vector<Eigen::Isometry3d>;

  /// margin: m, not negative: the first call refuses another.
  FclMarginMap(Frames frames, FclDistances distances, double margin)
      : frames_(std::move(frames)), distances_(std::move(distances)), margin_(margin) {}

  Eigen::Index output_size(const Poses&) const { return distances_.pair_count(); }

  void evaluate(const Eigen::VectorXd& q, const Poses& obstacles, Eigen::VectorXd& y) const {
    std::vector<Eigen::Isometry3d> frames;
    frames_.evaluate(q, frames);
    y.setZero(distances_.pair_count());
    for (const FclNearPair& near : near_pairs(frames, obstacles)) y[near.pair] = margin_ - near.distance;
  }

  void evaluate(const Eigen::VectorXd& q, const Poses& obstacles, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    std::vector<Eigen::Isometry3d> frames;
    Eigen::MatrixXd motion;
    frames_.evaluate(q, frames, motion);
    y.setZero(distances_.pair_count());
    J.setZero(y.size(), motion.cols());
    const FclModel& model = distances_.model();
    const int self = static_cast<int>(model.self_pairs.size()), bodies = static_cast<int>(model.bodies.size());
    const auto add_motion = [&](const FclNearPair& near, int body, double sign, const Eigen::Vector3d& point) {
      const int frame = model.bodies[static_cast<std::size_t>(body)].frame;
      const Eigen::Vector3d lever = point - frames[static_cast<std::size_t>(frame)].translation();
      J.row(near.pair) -= sign * near.normal.transpose() * motion.middleRows<3>(6 * frame);
      J.row(near.pair) -= sign * lever.cross(near.normal).transpose() * motion.middleRows<3>(6 * frame + 3);
    };
    for (const FclNearPair& near : near_pairs(frames, obstacles)) {
      y[near.pair] = margin_ - near.distance;
      if (near.pair < self) {
        const auto [one, other] = model.self_pairs[static_cast<std::size_t>(near.pair)];
        add_motion(near, one, 1, near.on_first);
        add_motion(near, other, -1, near.on_second);
      } else {
        add_motion(near, (near.pair - self) % bodies, 1, near.on_first);
      }
    }
  }

 private:
  std::vector<FclNearPair> near_pairs(const Poses& frames, const Poses& obstacles) const {
    std::vector<FclNearPair> near;
    distances_.near_pairs(frames, obstacles, margin_, near);
    return near;
  }

  Frames frames_;
  FclDistances distances_;
  double margin_;
};

}  // namespace quoin
