// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_URDF
#include "quoin/robots/models/rigid_body/urdf.hpp"

#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include "refused_robots.hpp"
#include "testing/hostile_system.hpp"
#include "testing/robots/urdf_robots.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

namespace quoin::rigid_body {
using namespace robots;

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
  refused(robot("<joint name='j' type='fixed'><parent link='base'/><child link='leg'/></joint>"),
          "<joint name=\"j\">: its child 'leg' is no link of this robot");
  refused(robot(joint("fixed", "") + joint("fixed", "")), "the name stands twice");
  refused(robot(""), "<link name=\"arm\">: no joint leads to it, nor to 'base'; a robot has one root");
  refused(robot(joint("fixed", "") + "<joint name='k' type='fixed'><parent link='arm'/><child link='base'/></joint>"),
          "<joint name=\"j\">: it is part of a loop: no way leads from the root to its child 'arm'");
  refused(robot(joint("revolute", limit),
                "<link name='arm'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' "
                "iyy='1' iyz='0' izz='1'/></inertial></link>"),
          "<link name=\"arm\">: mass -1 kg is negative");
  refused(robot(joint("revolute", limit), "<link name='arm'><inertial><mass value='1'/></inertial></link>"), "urdfdom");
  refused("<robot name='r'><link name='base'/>", "not XML");
  refused("<sdf/>", "a URDF is a <robot>");
  CHECK_THROWS_WITH(read_urdf("/nowhere/robot.urdf"),
                    Catch::Contains("cannot read '/nowhere/robot.urdf': No such file or directory"));
}

TEST_CASE("a link without inertial may move if what is fixed to it has one") {
  const auto links =
      parse_urdf(robot("<joint name='j' type='continuous'><parent link='base'/><child link='flange'/></joint><joint "
                       "name='k' type='fixed'>"
                       "<parent link='flange'/><child link='arm'/></joint>",
                       "<link name='flange'/><link name='arm'>" + body + "</link>"));
  CHECK(RigidBodyTree(links).parameters()(0, 0) == 2);
}

namespace {

std::string with_inertia(const std::string& numbers) {
  return robot(joint("continuous", ""),
               "<link name='arm'><inertial><mass value='1'/><inertia " + numbers + "/></inertial></link>");
}

}  // namespace

TEST_CASE("links and joints that are no tree are refused with the names of all that is in the way") {
  for (const auto& [what, text, reason] : std::vector<std::array<std::string, 3>>{
           {"a joint from a link to itself", named("ab") + moving("j", "b", "b") + moving("k", "a", "b"),
            "file:4: <joint name=\"j\">: it joins the link 'b' to itself"},
           {"the root joined to itself", named("a") + moving("j", "a", "a"), "it joins the link 'a' to itself"},
           {"a loop beside the root", named("abc") + moving("j", "b", "c") + moving("k", "c", "b"),
            "<joint name=\"j\">: it is part of a loop: no way leads from the root 'a' to its child 'c'"},
           {"a loop of all", named("ab") + moving("j", "a", "b") + moving("k", "b", "a"),
            "it is part of a loop: no way leads from the root to its child 'b'"},
           {"two parents", named("abc") + moving("j", "a", "c") + moving("k", "a", "b") + moving("m", "b", "c"),
            "<joint name=\"m\">: its child 'c' is the child of the joint 'j' already"},
           {"no link of that name", named("a") + moving("j", "a", "b"), "its child 'b' is no link of this robot"},
           {"no parent of that name", named("a") + moving("j", "b", "a"), "its parent 'b' is no link of this robot"},
           {"no child at all", named("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>",
            "its child '' is no link of this robot"},
           {"two roots", named("abc") + moving("j", "a", "b"), "<link name=\"c\">: no joint leads to it, nor to 'a'"},
           {"nothing", "", "it has no link"},
           {"a link twice", named("aa"), "<link name=\"a\">: the name stands twice"}}) {
    CAPTURE(what);
    refused(tree(text), reason);
  }
}

TEST_CASE("a body that cannot be is refused with its numbers, one that its digits leave a little outside is read") {
  const std::string rest = " ixy='0' ixz='0' iyz='0'";
  refused(with_inertia("ixx='-5' iyy='1' izz='1'" + rest),
          "file:3: <link name=\"arm\">: no body has the principal moments of inertia -5, 1, 1 kg m^2");
  refused(with_inertia("ixx='1e-9' iyy='1e-9' izz='3e-9'" + rest), "moments of inertia 1e-09, 1e-09, 3e-09 kg m^2");
  refused(with_inertia("ixx='1' iyy='1' izz='1' ixy='2' ixz='0' iyz='0'"), "no body has the principal moments");
  for (const char* number : {"nan", "inf", "1e999", "1,5", "0x1p3", "", "1 2"}) {
    CAPTURE(number);
    refused(with_inertia("ixx='" + std::string(number) + "' iyy='1' izz='1'" + rest), "");
  }
  CHECK(parse_urdf(with_inertia("ixx='0.0104' iyy='0.0102' izz='0.0207'" + rest)).size() == 2);  // a plate
  CHECK(parse_urdf(with_inertia("ixx='0' iyy='1' izz='1'" + rest)).size() == 2);                 // a rod
  CHECK(parse_urdf(with_inertia("ixx='0' iyy='0' izz='0'" + rest)).size() == 2);                 // a point
}

TEST_CASE("a chain of ten thousand links is read") {
  std::string text = "<robot name='r'><link name='0'/>";
  for (int k = 1; k < 10000; ++k) {
    const std::string name = std::to_string(k);
    text += "<link name='" + name + "'/><joint name='" + name + "' type='fixed'><parent link='" +
            std::to_string(k - 1) + "'/><child link='" + name + "'/></joint>";
  }
  CHECK(parse_urdf(text + "</robot>").size() == 10000);
}

TEST_CASE("a URDF is read alike under every locale") {
  const std::string text = robot(joint("revolute", "<origin xyz='1.5 2 3' rpy='0 0 0.5'/><axis xyz='0 1 0'/>" + limit));
  const std::vector<Link> plain = parse_urdf(text);
  const GermanNumbers german;
  const std::vector<Link> read = parse_urdf(text);
  CHECK(read[1].placement.matrix() == plain[1].placement.matrix());
  CHECK(read[1].inertia.centre == Eigen::Vector3d(0.1, 0, 0));
  CHECK(read[1].inertia.about_centre == plain[1].inertia.about_centre);
  refused(robot(joint("revolute", limit + "<axis xyz='0 0 1.5'/>")), "the axis (0 0 1.5) has length 1.5 instead of 1");
}

}  // namespace quoin::rigid_body
#endif
