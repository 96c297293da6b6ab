// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"
#include "quoin/robots/models/rigid_body/joint_limits.hpp"

#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

namespace quoin::rigid_body {
namespace {

std::vector<Link> two_links() {
  RandomNumbers random(1);
  return {{.name = "upper", .joint = {.name = "shoulder", .type = JointType::revolute}, .inertia = random.inertia()},
          {.name = "lower",
           .parent = "upper",
           .joint = {.name = "elbow", .type = JointType::prismatic},
           .inertia = random.inertia()}};
}

/// two_links with one thing wrong.
template <class Spoil>
std::vector<Link> spoiled(Spoil&& spoil) {
  std::vector<Link> links = two_links();
  spoil(links[1]);
  return links;
}

TEST_CASE("the limits of a robot are those of its joints, infinite where there are none") {
  const auto link = [](const std::string& name, const std::string& parent, const Joint& joint) {
    return Link{.name = name, .parent = parent, .joint = joint, .inertia = {.mass = 1}};
  };
  const RigidBodyTree tree(
      {link("a", "", {.type = JointType::revolute, .lower = -1, .upper = 2, .velocity = 3, .effort = 4}),
       link("b", "a", {.type = JointType::prismatic})});
  const JointLimits limits = joint_limits(tree);
  const double none = std::numeric_limits<double>::infinity();
  CHECK(limits.lower == Eigen::Vector2d(-1, -none));
  CHECK(limits.upper == Eigen::Vector2d(2, none));
  CHECK(limits.effort == Eigen::Vector2d(4, none));
  CHECK(limits.lower_state() == Eigen::Vector4d(-1, -none, -3, -none));
  CHECK(limits.upper_state() == Eigen::Vector4d(2, none, 3, none));
}

}  // namespace

TEST_CASE("links that make no tree are refused, with the link and the number") {
  using Catch::Contains;
  CHECK_NOTHROW(RigidBodyTree(two_links()));
  const auto refused = [](auto&& spoil, const std::string& reason) {
    CAPTURE(reason);
    CHECK_THROWS_AS(RigidBodyTree(spoiled(spoil)), std::invalid_argument);
    CHECK_THROWS_WITH(RigidBodyTree(spoiled(spoil)), Contains(reason));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](Link& l) { l.name = ""; }, "link 1 has no name");
  refused([](Link& l) { l.name = "upper"; }, "stands twice");
  refused([](Link& l) { l.joint.name = "shoulder"; }, "'shoulder', stands twice");
  refused([](Link& l) { l.parent = "hand"; }, "'lower': its parent 'hand' does not stand before it");
  refused([](Link& l) { l.parent = "lower"; }, "does not stand before it");
  refused([](Link& l) { l.joint.axis *= 1.5; }, "has length 1.5 instead of 1");
  refused([](Link& l) { l.joint.axis.setZero(); }, "has length 0");
  refused([&](Link& l) { l.joint.axis[0] = nan; }, "axis");
  refused([](Link& l) { l.joint.lower = 2, l.joint.upper = 1; }, "from 2 to 1");
  refused([](Link& l) { l.joint.damping = -0.5; }, "damping -0.5");
  refused([](Link& l) { l.joint.friction = -1; }, "friction -1");
  refused([](Link& l) { l.joint.effort = -3; }, "effort -3");
  refused([](Link& l) { l.placement.linear() *= 2; }, "not a rotation");
  refused([](Link& l) { l.placement.linear().col(0) *= -1; }, "det R = -1");
  refused([&](Link& l) { l.placement.translation()[1] = nan; }, "placement");
  refused([](Link& l) { l.inertia.mass = -2; }, "mass -2");
  refused([&](Link& l) { l.inertia.centre[2] = nan; }, "centre of mass");
  refused([](Link& l) { l.inertia.about_centre(0, 1) += 0.25; }, "differ by 0.25");
  CHECK_THROWS_WITH(RigidBodyTree(two_links()).frame("hand"), Contains("no link 'hand'"));
  CHECK_THROWS_WITH(RigidBodyTree(two_links()).joint_index("wrist"), Contains("no moving joint 'wrist'"));
  CHECK_THROWS_WITH(RigidBodyTree(two_links()).with_parameters(Parameters::Zero(13, 3)), Contains("3 columns for 2"));
}

TEST_CASE("fixed links become part of what moves them, and stay frames") {
  std::vector<Link> links = two_links();
  RandomNumbers random(7);
  links.insert(links.begin(), Link{.name = "foot", .placement = random.placement(), .inertia = random.inertia()});
  links[1].parent = "foot";
  links.push_back({.name = "tool", .parent = "lower", .placement = random.placement(), .inertia = random.inertia()});
  links.push_back({.name = "tip", .parent = "tool", .placement = random.placement(), .inertia = random.inertia()});
  links.push_back({.name = "finger",
                   .parent = "tip",
                   .joint = {.name = "grip", .type = JointType::revolute},
                   .placement = random.placement(),
                   .inertia = random.inertia()});
  const RigidBodyTree tree(links);
  REQUIRE(tree.joints() == 3);
  CHECK(tree.joint_index("grip") == 2);
  CHECK(tree.link_name(2) == "finger");
  CHECK(tree.parent(0) == -1);
  CHECK(tree.parent(2) == 1);
  CHECK(tree.is_ancestor(0, 2));
  CHECK_FALSE(tree.is_ancestor(2, 0));
  CHECK(tree.frame("foot").joint == -1);
  CHECK(tree.frame("tip").joint == 1);
  const Eigen::Isometry3d tip = links[3].placement * links[4].placement;
  CHECK(tree.frame("tip").placement.isApprox(tip, 1e-14));
  CHECK(tree.placement(0).isApprox(links[0].placement, 1e-14));
  CHECK(tree.placement(2).isApprox(tip * links[5].placement, 1e-14));

  // the lumped body moves as its parts do: masses add, and so do moments about the common origin
  const Inertia lumped = inertia_of(tree.parameters().col(1));
  CHECK(lumped.mass == Approx(links[2].inertia.mass + links[3].inertia.mass + links[4].inertia.mass));
  Eigen::Matrix3d about_origin = Eigen::Matrix3d::Zero();
  Eigen::Vector3d h = Eigen::Vector3d::Zero();
  const auto add = [&](const Inertia& body, const Eigen::Isometry3d& at) {
    const Eigen::Vector3d c = at * body.centre;
    h += body.mass * c;
    about_origin += at.linear() * body.about_centre * at.linear().transpose() +
                    body.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  };
  add(links[2].inertia, Eigen::Isometry3d::Identity());
  add(links[3].inertia, links[3].placement);
  add(links[4].inertia, tip);
  CHECK(tree.parameters().col(1).segment<3>(1).isApprox(h, 1e-13));
  CHECK(tree.parameters().col(1).tail<9>().reshaped(3, 3).isApprox(about_origin, 1e-13));
}

TEST_CASE("parameters and inertias are one another's inverse; a body without mass has no centre") {
  RandomNumbers random(4);
  const Inertia body = random.inertia();
  const Inertia back = inertia_of(body_parameters(body));
  CHECK(back.mass == body.mass);
  CHECK(back.centre.isApprox(body.centre, 1e-14));
  CHECK(back.about_centre.isApprox(body.about_centre, 1e-13));
  const Eigen::Isometry3d there = random.placement();
  const BodyParameters moved = transformed(body_parameters(body), there);
  CHECK(transformed(moved, there.inverse()).isApprox(body_parameters(body), 1e-13));
  CHECK_THROWS_WITH(inertia_of(BodyParameters::Zero()), Catch::Contains("mass 0"));
}

}  // namespace quoin::rigid_body
