// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_URDF
#include "quoin/models/rigid_body/urdf.hpp"

#include "quoin/models/rigid_body/rigid_body_tree.hpp"

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>

namespace quoin::rigid_body {
namespace {

const std::string body =
    "<inertial><origin xyz='0.1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
    "<inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/></inertial>";

/// A robot of two links, with this joint between them.
std::string robot(const std::string& joint, const std::string& link = "<link name='arm'>" + body + "</link>") {
  return "<robot name='r'>\n<link name='base'/>\n" + link + "\n" + joint + "\n</robot>";
}

std::string joint(const std::string& type, const std::string& inside) {
  return "<joint name='j' type='" + type + "'><parent link='base'/><child link='arm'/>" + inside + "</joint>";
}

const std::string limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";

void refused(const std::string& text, const std::string& reason) {
  CAPTURE(text);
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  CHECK_THROWS_AS(parse_urdf(text, "file"), std::runtime_error);
  CHECK_THROWS_WITH(parse_urdf(text, "file"), Catch::StartsWith("file") && Catch::Contains(reason));
  std::cerr.rdbuf(before);
  CHECK(printed.str().empty());
}

}  // namespace

TEST_CASE("a URDF gives links with joints, limits, friction and inertias in the axes of the link") {
  const auto links =
      parse_urdf(robot(joint("revolute", "<origin xyz='1 2 3' rpy='0 0 0.5'/><axis xyz='0 1 0'/>" + limit +
                                             "<dynamics damping='0.7' friction='0.2'/><calibration rising='0'/>"),
                       "<!-- no dynamics --><material name='red'><color rgba='1 0 0 1'/></material><gazebo/><link "
                       "name='arm'><visual><geometry><sphere radius='1'/>"
                       "</geometry></visual>" +
                           body + "</link>"));
  REQUIRE(links.size() == 2);
  CHECK(links[0].name == "base");
  CHECK(links[0].joint.type == JointType::fixed);
  const Link& arm = links[1];
  CHECK(arm.parent == "base");
  CHECK(arm.joint.name == "j");
  CHECK(arm.joint.type == JointType::revolute);
  CHECK(arm.joint.axis == Eigen::Vector3d::UnitY());
  CHECK((arm.joint.lower == -1 && arm.joint.upper == 2 && arm.joint.effort == 3 && arm.joint.velocity == 4));
  CHECK((arm.joint.damping == 0.7 && arm.joint.friction == 0.2));
  CHECK(arm.placement.translation() == Eigen::Vector3d(1, 2, 3));
  CHECK(arm.placement.linear().isApprox(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()).toRotationMatrix(), 1e-14));
  CHECK(arm.inertia.mass == 2);
  CHECK(arm.inertia.about_centre.isApprox(Eigen::Vector3d(2, 1, 2.5).asDiagonal().toDenseMatrix(), 1e-14));
}

TEST_CASE("a continuous joint is revolute without limits of q; an axis not given is x; nearly unit is made so") {
  const auto links = parse_urdf(robot(joint("continuous", "")));
  CHECK(links[1].joint.type == JointType::revolute);
  CHECK(std::isinf(links[1].joint.upper));
  CHECK(links[1].joint.axis == Eigen::Vector3d::UnitX());
  const auto rounded = parse_urdf(robot(joint("prismatic", "<axis xyz='0.7071 0.7071 0'/>" + limit)));
  CHECK(rounded[1].joint.axis.norm() == Approx(1).epsilon(1e-15));
}

TEST_CASE("joints stand depth first, in the order of the file") {
  std::string text = "<robot name='r'><link name='base'/>";
  for (const char* name : {"z", "a", "m", "b"}) text += "<link name='" + std::string(name) + "'>" + body + "</link>";
  const auto add = [&](const std::string& parent, const std::string& child) {
    text += "<joint name='to " + child + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
            "'/></joint>";
  };
  add("base", "z");
  add("base", "a");
  add("z", "m");
  add("a", "b");
  const RigidBodyTree tree(parse_urdf(text + "</robot>"));
  REQUIRE(tree.joints() == 4);
  CHECK((tree.link_name(0) == "z" && tree.link_name(1) == "m" && tree.link_name(2) == "a" && tree.link_name(3) == "b"));
}

TEST_CASE("what the reader does not support is refused with file, line, element and reason, and nothing is printed") {
  refused(robot(joint("floating", "")), "file:4: <joint name=\"j\">: floating joints are not supported");
  refused(robot(joint("planar", "")), "planar joints are not supported");
  refused(robot(joint("hinge", "")), "there is no type 'hinge'");
  refused(robot(joint("revolute", limit + "<mimic joint='k'/>")), "<mimic> is not supported");
  refused(robot(joint("revolute", limit + "<spring k='1'/>")), "<joint name=\"j\">: <spring> is not supported");
  refused(robot(joint("revolute", limit + "<dynamics damping='1' stiffness='2'/>")),
          "the attribute 'stiffness' is not supported");
  refused(robot(joint("revolute", limit) + "<loop_joint name='l'/>"), "<loop_joint> is not supported");
  refused(robot(joint("revolute", limit), "<link name='arm'/>"), "'arm' moves, but neither it nor what is fixed to it");
  refused(robot(joint("revolute", limit + "<axis xyz='0 0 0'/>")), "");
  refused(robot(joint("revolute", limit + "<axis xyz='0 0 2'/>")), "has length 2 instead of 1");
  refused(robot(joint("revolute", limit + "<axis xyz='0 1'/>")), "is not three numbers");
  refused(robot(joint("revolute", limit + "<origin xyz='a b c'/>")), "xyz=\"a b c\" is not three numbers");
  refused(robot(joint("revolute", limit + limit)), "<limit> stands twice");
  refused(robot(joint("revolute", "")), "urdfdom");  // without limits
  refused(robot(joint("revolute", "<limit lower='3' upper='2' effort='3' velocity='4'/>")), "limits from 3 to 2");
  refused(robot(joint("revolute", limit + "<dynamics damping='-1'/>")), "damping -1");
  refused(robot("<joint name='j' type='fixed'><parent link='base'/><child link='leg'/></joint>"), "urdfdom");
  refused(robot(joint("fixed", "") + joint("fixed", "")), "the name stands twice");
  refused(robot(""), "urdfdom");  // two roots
  refused(robot(joint("fixed", "") + "<joint name='k' type='fixed'><parent link='arm'/><child link='base'/></joint>"),
          "");  // a loop
  refused(robot(joint("revolute", limit),
                "<link name='arm'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' "
                "iyy='1' iyz='0' izz='1'/></inertial></link>"),
          "mass -1");
  refused(robot(joint("revolute", limit), "<link name='arm'><inertial><mass value='1'/></inertial></link>"), "urdfdom");
  refused("<robot name='r'><link name='base'/>", "not XML");
  refused("<sdf/>", "a URDF is a <robot>");
  CHECK_THROWS_WITH(read_urdf("/nowhere/robot.urdf"), Catch::Contains("/nowhere/robot.urdf: cannot be read"));
}

TEST_CASE("a link without inertial may move if what is fixed to it has one") {
  const auto links =
      parse_urdf(robot("<joint name='j' type='continuous'><parent link='base'/><child link='flange'/></joint><joint "
                       "name='k' type='fixed'>"
                       "<parent link='flange'/><child link='arm'/></joint>",
                       "<link name='flange'/><link name='arm'>" + body + "</link>"));
  CHECK(RigidBodyTree(links).parameters()(0, 0) == 2);
}

}  // namespace quoin::rigid_body
#endif
