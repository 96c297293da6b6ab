// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/rigid_body/detail/link_places.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/robots/task_maps/task_map.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <vector>

namespace quoin::rigid_body {

/// Frames fixed to links of a tree, for task maps (FrameKinematics): hands that shall point somewhere, shapes that
/// shall touch nothing.
///
///     TreeFrames hand(tree, {tree.frame("hand")});
///     hand.evaluate(q, poses, jacobian);  // 1, 6 x n
///     OrientationOffsets upright(hand);   // log(R(q) goal^T), 3
///
/// O(n + K d), where d is the number of joints that move a frame. Allocates nothing except for outputs that grow. It
/// holds the places of the links: use one copy per thread.
class TreeFrames {
 public:
  /// Throws std::invalid_argument for a frame of a joint that the tree does not have.
  TreeFrames(RigidBodyTree tree, const std::vector<Frame>& frames);

  Eigen::Index frame_count() const { return static_cast<Eigen::Index>(frames_.size()); }
  Fingerprint fingerprint() const;  ///< of joints, placements and frames; masses do not count

  /// Throws std::invalid_argument for a q of another size.
  void evaluate(const Eigen::VectorXd& q, std::vector<Eigen::Isometry3d>& poses) const;
  void evaluate(const Eigen::VectorXd& q, std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& jacobian) const;

 private:
  mutable detail::LinkPlaces links_;
  std::vector<Frame> frames_;
  std::vector<Eigen::Isometry3d> turned_;  // the frames in the turned axes of their links
};

static_assert(FrameKinematics<TreeFrames>);

}  // namespace quoin::rigid_body
