// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/fingerprint.hpp"
#include "quoin/robots/models/rigid_body/detail/vector3.hpp"
#include "quoin/robots/models/rigid_body/inertial_parameters.hpp"
#include "quoin/robots/models/rigid_body/link.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <string>
#include <utility>
#include <vector>

namespace quoin::rigid_body {

/// A frame fixed to the link of a moving joint, or to the world.
struct Frame {
  int joint = -1;                                               ///< -1: the world
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();  ///< in the frame of the joint's link
};

/// Rigid links on revolute, prismatic and fixed joints: one or more kinematic trees with their roots in the world.
///
///     RigidBodyTree arm({{.name = "upper", .joint = {"shoulder", JointType::revolute}, .inertia = upper},
///                        {.name = "lower", .parent = "upper", .joint = {"elbow", JointType::revolute},
///                         .placement = Eigen::Isometry3d(Eigen::Translation3d(0.4, 0, 0)), .inertia = lower}});
///     RigidBodyTree iiwa(read_urdf("iiwa7.urdf"));              // urdf.hpp
///     NewtonEuler<> dynamics(iiwa);                                // dynamics.hpp
///
/// Joint coordinates q are in the order in which the moving joints are given. Links on fixed joints are lumped into
/// their parents (into the world, without effect, if the parent does not move); their names remain frames. A value
/// type: cheap to copy, immutable, safe to share between threads. Units are SI.
///
/// Throws std::invalid_argument, naming the link and the number, for names that are empty or not unique, parents that
/// do not come earlier in the list, axes that are not of unit length, placements that are not rotations, masses that
/// are negative, inertias that are not symmetric, damping and friction that are negative, limits that exclude each
/// other, and anything that is not finite. Physical consistency of the inertias is not required.
class RigidBodyTree {
 public:
  /// Parents stand before their children. Throws std::invalid_argument as said above.
  explicit RigidBodyTree(const std::vector<Link>& links);

  int joints() const { return static_cast<int>(joints_.size()); }  ///< moving joints only: the size n of q
  /// Of the coordinate with this index.
  const Joint& joint(int index) const { return joints_[static_cast<std::size_t>(index)]; }
  /// Of the link that a joint moves.
  const std::string& link_name(int joint) const { return link_names_[static_cast<std::size_t>(joint)]; }
  int parent(int joint) const { return parents_[static_cast<std::size_t>(joint)]; }  ///< joint index; -1: the world
  /// The placement of a joint's frame at q = 0 in the frame of its parent's link, including fixed joints between them.
  const Eigen::Isometry3d& placement(int joint) const { return placements_[static_cast<std::size_t>(joint)]; }
  bool is_ancestor(int ancestor, int joint) const;  ///< true also if both are the same joint

  /// The frame of a link, moving or fixed. Throws std::invalid_argument for an unknown name.
  Frame frame(const std::string& link) const;
  /// The index of a moving joint. Throws std::invalid_argument for an unknown name.
  int joint_index(const std::string& joint) const;

  const Parameters& parameters() const { return parameters_; }  ///< 13 x n
  /// The same tree with other masses, such as learned ones, 13 x n. Throws std::invalid_argument for another shape.
  RigidBodyTree with_parameters(const Parameters& parameters) const;

  /// Of all that its dynamics depend on, for a function of the tree that you store yourself: joints and placements,
  /// parameters, damping, friction. No names and no limits.
  Fingerprint fingerprint() const;

  /// A joint as the recursions use it: in axes turned so that the joint moves about or along the third.
  struct Segment {
    int parent = 0;                         ///< the parent joint's index plus one; 0: the world
    bool prismatic = false;                 ///< along the third axis; otherwise about it
    bool turned = false;                    ///< whether the axes differ from the link's
    detail::Matrix3<double> rotation = {};  ///< of the joint's frame at q = 0, to the parent's turned axes
    detail::Vector3<double> offset = {};    ///< of its origin, in the parent's turned axes
    detail::Matrix3<double> axes = {};      ///< maps coordinates in turned axes to those in the link's
  };
  /// One for each moving joint, parents first.
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  std::vector<Joint> joints_;
  std::vector<std::string> link_names_;
  std::vector<int> parents_;
  std::vector<Eigen::Isometry3d> placements_;
  std::vector<std::pair<std::string, Frame>> frames_;
  Parameters parameters_;
  std::vector<Segment> segments_;
};

}  // namespace quoin::rigid_body
