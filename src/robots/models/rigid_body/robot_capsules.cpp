// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/robot_capsules.hpp"

#include <cstddef>
#include <set>
#include <utility>

namespace quoin::rigid_body {
namespace {

/// Whether no other link with a capsule stands between the links of both joints (-1: the world), one of which carries
/// the other.
bool neighbours(const RigidBodyTree& tree, const std::set<int>& carriers, int one, int other) {
  const auto carrier_above = [&](int joint) {
    do joint = tree.parent(joint);
    while (joint >= 0 && !carriers.contains(joint));
    return joint;
  };
  return one == other || (one >= 0 && carrier_above(one) == other) || (other >= 0 && carrier_above(other) == one);
}

}  // namespace

RobotCapsules robot_capsules(const RigidBodyTree& tree, const std::vector<LinkCapsule>& capsules,
                             const std::vector<std::array<std::string, 2>>& may_touch) {
  std::vector<TreePoints::Point> points;
  CollisionModel model;
  std::vector<int> joints;
  for (const LinkCapsule& body : capsules) {
    require_shape(body.capsule, "robot_capsules: '" + body.link + "'");
    const Frame frame = tree.frame(body.link);
    joints.push_back(frame.joint);
    model.bodies.push_back({model.points, model.points + 1, body.capsule.radius});
    model.points += 2;
    points.push_back({frame, body.capsule.a});
    points.push_back({frame, body.capsule.b});
  }
  const std::set<int> carriers(joints.begin(), joints.end());
  std::set<std::array<std::string, 2>> touching;
  for (std::array<std::string, 2> pair : may_touch) {
    for (const std::string& link : pair) tree.frame(link);  // throws for a name that is none
    touching.insert(pair);
    std::swap(pair[0], pair[1]);
    touching.insert(pair);
  }
  for (std::size_t i = 0; i < capsules.size(); ++i)
    for (std::size_t j = i + 1; j < capsules.size(); ++j)
      if (!neighbours(tree, carriers, joints[i], joints[j]) && !touching.contains({capsules[i].link, capsules[j].link}))
        model.self_pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
  return {.points = TreePoints(tree, points), .model = std::move(model)};
}

}  // namespace quoin::rigid_body
