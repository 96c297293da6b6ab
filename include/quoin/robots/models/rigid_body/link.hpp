// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <limits>
#include <string>

namespace quoin::rigid_body {

/// How a joint moves.
enum class JointType {
  revolute,   ///< turns about its axis; also URDF's continuous, without limits
  prismatic,  ///< slides along its axis
  fixed       ///< does not move: the link becomes part of its parent
};

/// How a link moves relative to its parent. A joint coordinate q is in rad or m, forces in N m or N.
struct Joint {
  std::string name = {};                                      ///< unique, or empty
  JointType type = JointType::fixed;                          ///< fixed joints have no coordinate
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();            ///< of unit length, in the link's frame
  double lower = -std::numeric_limits<double>::infinity();    ///< limits of q; the dynamics do not enforce them
  double upper = std::numeric_limits<double>::infinity();     ///< of q, as lower
  double velocity = std::numeric_limits<double>::infinity();  ///< limit of |dq/dt|; not enforced
  double effort = std::numeric_limits<double>::infinity();    ///< limit of |force|; not enforced
  double damping = 0;                                         ///< viscous friction, N m s/rad or N s/m
  double friction = 0;                                        ///< Coulomb friction, N m or N
};

/// Mass properties of a body in its link's frame.
struct Inertia {
  double mass = 0;                                         ///< kg
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();        ///< centre of mass, m
  Eigen::Matrix3d about_centre = Eigen::Matrix3d::Zero();  ///< about the centre of mass, axes of the link, kg m^2
};

/// A rigid body on its joint, as in URDF: the link's frame is the joint's, which lies at `placement` in the parent's
/// frame when q = 0; a positive q turns the link about `joint.axis` or moves it along that axis.
struct Link {
  std::string name = {};    ///< not empty, unique
  std::string parent = {};  ///< the name of a link earlier in the list; empty: the world
  Joint joint = {};         ///< on which it moves
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();  ///< maps coordinates of this frame to the parent's
  Inertia inertia = {};                                         ///< of this link alone
};

}  // namespace quoin::rigid_body
