// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/world_frame.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace quoin::rigid_body::detail {

/// Where the links of a tree are at one posture: placed once for all that asks, O(n). It holds the places: one copy per
/// thread.
class LinkPlaces {
 public:
  explicit LinkPlaces(RigidBodyTree tree);

  const RigidBodyTree& tree() const { return tree_; }

  /// Throws std::invalid_argument, with a message that begins with `caller`, for a q of another size.
  void place(const Eigen::VectorXd& q, const char* caller);

  /// Of the link that a joint moves, in its turned axes; -1: the world.
  const Place<double>& operator[](int joint) const { return places_[static_cast<std::size_t>(joint + 1)]; }

  /// The velocity of the point x of a link that the joint moves, and of the link's rotation, at unit rate of the joint.
  QUOIN_INLINE Vector3<double> velocity(int joint, const Vector3<double>& x) const {
    const Place<double>& link = (*this)[joint];
    return prismatic(joint) ? link.rotation.z : cross(link.rotation.z, x - link.origin);
  }
  QUOIN_INLINE Vector3<double> angular_velocity(int joint) const {
    return prismatic(joint) ? zero_vector<double>() : (*this)[joint].rotation.z;
  }

 private:
  bool prismatic(int joint) const { return tree_.segments()[static_cast<std::size_t>(joint)].prismatic; }

  RigidBodyTree tree_;
  std::vector<double> sine_, cosine_;
  std::vector<Place<double>> places_;  // of the world, then of the links
};

}  // namespace quoin::rigid_body::detail
