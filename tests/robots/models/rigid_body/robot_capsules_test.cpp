// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/robot_capsules.hpp"

#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

namespace quoin::rigid_body {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

/// A torso with two arms of two links and an eye, on one joint each.
RigidBodyTree torso() {
  const auto link = [](const std::string& name, const std::string& parent) {
    return Link{.name = name,
                .parent = parent,
                .joint = {.type = JointType::revolute},
                .placement = Eigen::Isometry3d(Eigen::Translation3d(0.1, 0.2, 0.3)),
                .inertia = {.mass = 1}};
  };
  return RigidBodyTree({{.name = "floor"},
                        link("torso", "floor"),
                        link("left", "torso"),
                        link("left_hand", "left"),
                        link("right", "torso"),
                        link("right_hand", "right")});
}

LinkCapsule on(const std::string& link) { return {link, {{0, 0, 0}, {0, 0, 0.1}, 0.02}}; }

TEST_CASE("a robot's capsules lie on its links, and pairs that nothing keeps apart are left out") {
  const RigidBodyTree tree = torso();
  const RobotCapsules all =
      robot_capsules(tree, {on("floor"), on("torso"), on("left"), on("left_hand"), on("right_hand")});
  // left and torso, left and left_hand, torso and floor, torso and right_hand (right has none) are neighbours
  CHECK(all.model.self_pairs == Pairs{{0, 2}, {0, 3}, {0, 4}, {1, 3}, {2, 4}, {3, 4}});
  CHECK(all.model.points == 10);
  CHECK(all.model.bodies[3].first == 6);
  CHECK(all.model.bodies[3].radius == 0.02);
  Eigen::Matrix3Xd points;
  all.points.evaluate(Eigen::VectorXd::Zero(5), points);
  CHECK((points.col(7) - Eigen::Vector3d(0.3, 0.6, 1.0)).norm() < 1e-14);

  // Without the torso's, an arm's first link and the floor are neighbours; the two arms are not
  CHECK(robot_capsules(tree, {on("floor"), on("left"), on("right")}).model.self_pairs == Pairs{{1, 2}});
  CHECK(robot_capsules(tree, {on("floor"), on("left"), on("right")}, {{"right", "left"}}).model.self_pairs.empty());
  CHECK(robot_capsules(tree, {on("left"), on("left")}).model.self_pairs.empty());
}

TEST_CASE("capsules of links that a robot does not have, and unsound ones, are refused") {
  const RigidBodyTree tree = torso();
  CHECK_THROWS_WITH(robot_capsules(tree, {on("tail")}), Catch::Contains("tail"));
  CHECK_THROWS_WITH(robot_capsules(tree, {on("left")}, {{"left", "tail"}}), Catch::Contains("tail"));
  CHECK_THROWS_WITH(robot_capsules(tree, {{"left", {{0, 0, 0}, {0, 0, 1}, -1}}}), Catch::Contains("'left'"));
}

}  // namespace
}  // namespace quoin::rigid_body
