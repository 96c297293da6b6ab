// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/unwrap/rope_arm.hpp"
#include "quoin/util/to_text.hpp"

#include <string>
#include <vector>

namespace studies::unwrap {
namespace {

using rigid_body::Frame;
using rigid_body::JointType;
using rigid_body::Link;

constexpr double bend = 2;           // rad, the rope's limits
constexpr double finger_bend = 1.6;  // rad
constexpr double phalanx = 0.04;     // m
constexpr int joints_of_finger = 3;

Eigen::Isometry3d shifted(const Eigen::Vector3d& by) { return Eigen::Isometry3d(Eigen::Translation3d(by)); }

Link hinge(const std::string& name, const std::string& parent, const Eigen::Vector3d& axis, double lower, double upper,
           const Eigen::Vector3d& place) {
  return {.name = name,
          .parent = parent,
          .joint = {.name = name, .type = JointType::revolute, .axis = axis, .lower = lower, .upper = upper},
          .placement = shifted(place)};
}

std::string name_of(const char* part, int number) { return part + to_text(number); }

std::string name_of(int finger, int joint) { return name_of("finger", finger) + name_of(".", joint); }

}  // namespace

Eigen::Vector3d palm_in_wrist() { return {0.08, 0, 0}; }

Eigen::Vector3d knuckle_in_wrist(int finger) {
  return finger == 0 ? Eigen::Vector3d(0.03, -0.045, 0) : Eigen::Vector3d(0.03, 0.045, finger == 1 ? 0.03 : -0.03);
}

Eigen::VectorXd straight_pose() {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(rope_segments + fingers * joints_of_finger);
  for (int f = 0; f < fingers; ++f) q.segment<joints_of_finger>(rope_segments + f * joints_of_finger) << -0.4, 0.4, 0.4;
  return q;
}

int tip_of(int finger) { return rope_segments + 1 + (joints_of_finger + 1) * finger + joints_of_finger; }

studies::CapsuleArm rope_arm() {
  const Eigen::Vector3d along(segment_length, 0, 0), none = Eigen::Vector3d::Zero();
  std::vector<Link> links;
  for (int i = 0; i < rope_segments; ++i)
    links.push_back(hinge(name_of("rope", i), i == 0 ? "" : name_of("rope", i - 1),
                          i % 2 == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::UnitY(), -bend, bend,
                          i == 0 ? none : along));
  const std::string wrist = name_of("rope", rope_segments - 1);
  for (int f = 0; f < fingers; ++f)
    for (int j = 0; j < joints_of_finger; ++j) {
      const Eigen::Vector3d inwards = f == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(-Eigen::Vector3d::UnitZ());
      links.push_back(hinge(name_of(f, j), j == 0 ? wrist : name_of(f, j - 1), inwards, j == 0 ? -finger_bend : 0,
                            finger_bend,
                            j == 0 ? Eigen::Vector3d(along + knuckle_in_wrist(f)) : Eigen::Vector3d(phalanx, 0, 0)));
    }

  studies::CapsuleArm arm{.tree = rigid_body::RigidBodyTree(links), .chain = {}};
  for (int i = 0; i < rope_segments; ++i) {
    arm.chain.push_back({arm.tree.frame(name_of("rope", i))});
    arm.bodies.push_back({i, i + 1, rope_radius});
  }
  arm.chain.push_back({arm.tree.frame(wrist), along});
  for (int f = 0; f < fingers; ++f) {
    const int knuckle = tip_of(f) - joints_of_finger;
    arm.bodies.push_back({rope_segments, knuckle, finger_radius});
    for (int j = 0; j < joints_of_finger; ++j) {
      arm.others.push_back({arm.tree.frame(name_of(f, j))});
      arm.bodies.push_back({knuckle + j, knuckle + j + 1, finger_radius});
    }
    arm.others.push_back({arm.tree.frame(name_of(f, joints_of_finger - 1)), {phalanx, 0, 0}});
  }
  return arm;
}

}  // namespace studies::unwrap
