// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/detail/fingerprints.hpp"

#include <vector>

namespace quoin::rigid_body {

namespace detail {

void add_kinematics(const RigidBodyTree& tree, Fingerprint& fingerprint) {
  const int n = tree.joints();
  std::vector<int> parents;
  std::vector<JointType> types;
  Eigen::Matrix3Xd axes(3, n), rotations(3, 3 * n), origins(3, n);
  for (int i = 0; i < n; ++i) {
    parents.push_back(tree.parent(i));
    types.push_back(tree.joint(i).type);
    axes.col(i) = tree.joint(i).axis;
    rotations.middleCols<3>(3 * i) = tree.placement(i).linear();
    origins.col(i) = tree.placement(i).translation();
  }
  fingerprint.add("parents", parents).add("types", types).add_rounded("axes", axes);
  fingerprint.add_rounded("rotations", rotations).add_rounded("origins", origins);
}

void add_masses(const RigidBodyTree& tree, Fingerprint& fingerprint) {
  fingerprint.add_rounded("masses", tree.parameters().topRows<4>());
}

void add_inertias(const RigidBodyTree& tree, Fingerprint& fingerprint) {
  fingerprint.add_rounded("inertias", tree.parameters().bottomRows<9>());
}

}  // namespace detail

Fingerprint RigidBodyTree::fingerprint() const {
  Fingerprint fingerprint("rigid_body::RigidBodyTree");
  detail::add_kinematics(*this, fingerprint);
  detail::add_masses(*this, fingerprint);
  detail::add_inertias(*this, fingerprint);
  std::vector<double> damping, friction;
  for (const Joint& joint : joints_) {
    damping.push_back(joint.damping);
    friction.push_back(joint.friction);
  }
  return fingerprint.add_rounded("damping", damping).add_rounded("friction", friction);
}

}  // namespace quoin::rigid_body
