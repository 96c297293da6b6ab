// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/capsule_arm.hpp"

#include "examples/studies/arm7/iiwa7.hpp"

namespace studies {

using rigid_body::RigidBodyTree;
using rigid_body::TreePoints;

TreePoints CapsuleArm::points() const {
  std::vector<TreePoints::Point> all = chain;
  all.insert(all.end(), others.begin(), others.end());
  return {tree, all};
}

TreePoints CapsuleArm::chain_points() const { return {tree, chain}; }

CollisionModel CapsuleArm::collision_model() const {
  return {.points = static_cast<int>(chain.size() + others.size()),
          .bodies = bodies,
          .self_pairs = bodies_apart(bodies, self_steps),
          .ignored_pairs = ignored_pairs};
}

Eigen::VectorXd CapsuleArm::lower() const {
  return Eigen::VectorXd::NullaryExpr(tree.joints(),
                                      [this](Eigen::Index i) { return tree.joint(static_cast<int>(i)).lower; });
}

Eigen::VectorXd CapsuleArm::upper() const {
  return Eigen::VectorXd::NullaryExpr(tree.joints(),
                                      [this](Eigen::Index i) { return tree.joint(static_cast<int>(i)).upper; });
}

std::vector<Capsule> capsules_at(const CapsuleArm& arm, const Eigen::Matrix3Xd& points) {
  std::vector<Capsule> capsules;
  for (const CollisionBody& body : arm.bodies)
    capsules.push_back({points.col(body.first), points.col(body.second), body.radius});
  return capsules;
}

CapsuleArm iiwa_with_rod(double length, double radius) {
  const RigidBodyTree tree(iiwa::iiwa7_links());
  const rigid_body::Frame flange = tree.frame("iiwa_link_ee");
  // The axes of joints 5, 6 and 7 meet at the wrist, off the origin of joint 6.
  return {.tree = tree,
          .chain = {{tree.frame("iiwa_link_0")},
                    {tree.frame("iiwa_link_2")},
                    {tree.frame("iiwa_link_4")},
                    {tree.frame("iiwa_link_6"), {0, 0, 0.0607}},
                    {flange},
                    {flange, {0, 0, length}}},
          .bodies = {{0, 1, 0.08}, {1, 2, 0.07}, {2, 3, 0.065}, {3, 4, 0.06}, {4, 5, radius}},
          .self_steps = 3};
}

}  // namespace studies
