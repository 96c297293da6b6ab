// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/tree_frames.hpp"

#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"
#include "quoin/util/to_text.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace quoin::rigid_body {
namespace {

Eigen::Vector3d eigen(const detail::Vector3<double>& v) { return {v.x, v.y, v.z}; }

Eigen::Matrix3d eigen(const detail::Matrix3<double>& m) {
  Eigen::Matrix3d columns;
  columns << eigen(m.x), eigen(m.y), eigen(m.z);
  return columns;
}

}  // namespace

TreeFrames::TreeFrames(RigidBodyTree tree, const std::vector<Frame>& frames)
    : links_(std::move(tree)), frames_(frames) {
  for (const Frame& frame : frames_) {
    if (frame.joint < -1 || frame.joint >= links_.tree().joints())
      throw std::invalid_argument("TreeFrames: a frame of joint " + to_text(frame.joint) + " of " +
                                  to_text(links_.tree().joints()));
    Eigen::Isometry3d turned = frame.placement;
    if (frame.joint >= 0) {
      const Eigen::Matrix3d axes = eigen(links_.tree().segments()[static_cast<std::size_t>(frame.joint)].axes);
      turned = Eigen::Isometry3d(axes.transpose()) * frame.placement;
    }
    turned_.push_back(turned);
  }
}

Fingerprint TreeFrames::fingerprint() const {
  std::vector<int> joints;
  Eigen::Matrix3Xd rotations(3, 3 * frame_count()), places(3, frame_count());
  for (Eigen::Index k = 0; k < frame_count(); ++k) {
    const Frame& frame = frames_[static_cast<std::size_t>(k)];
    joints.push_back(frame.joint);
    rotations.middleCols<3>(3 * k) = frame.placement.linear();
    places.col(k) = frame.placement.translation();
  }
  Fingerprint fingerprint("rigid_body::TreeFrames");
  detail::add_kinematics(links_.tree(), fingerprint);
  return fingerprint.add("joints", joints).add_rounded("rotations", rotations).add_rounded("places", places);
}

void TreeFrames::evaluate(const Eigen::VectorXd& q, std::vector<Eigen::Isometry3d>& poses) const {
  links_.place(q, "TreeFrames::evaluate");
  poses.resize(frames_.size());
  for (std::size_t k = 0; k < frames_.size(); ++k) {
    const detail::Place<double>& link = links_[frames_[k].joint];
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = eigen(link.rotation);
    pose.translation() = eigen(link.origin);
    poses[k] = pose * turned_[k];
  }
}

void TreeFrames::evaluate(const Eigen::VectorXd& q, std::vector<Eigen::Isometry3d>& poses,
                          Eigen::MatrixXd& jacobian) const {
  evaluate(q, poses);
  jacobian.setZero(6 * frame_count(), links_.tree().joints());
  for (Eigen::Index k = 0; k < frame_count(); ++k) {
    const Eigen::Vector3d at = poses[static_cast<std::size_t>(k)].translation();
    for (int j = frames_[static_cast<std::size_t>(k)].joint; j >= 0; j = links_.tree().parent(j)) {
      jacobian.col(j).segment<3>(6 * k) = eigen(links_.velocity(j, {at[0], at[1], at[2]}));
      jacobian.col(j).segment<3>(6 * k + 3) = eigen(links_.angular_velocity(j));
    }
  }
}

}  // namespace quoin::rigid_body
