// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/urdf.hpp"

#ifdef QUOIN_HAS_URDF

#include "quoin/robots/geometry/closest.hpp"

#include "testing/robots/urdf_robots.hpp"

#include <catch2/catch.hpp>

namespace quoin::rigid_body {
namespace {

using Catch::Contains;

std::string with(const std::string& collision) {
  return robots::robot(robots::joint("revolute", robots::limit),
                       "<link name='arm'>" + robots::body + collision + "</link>");
}

std::string shape(const std::string& geometry, const std::string& origin = "") {
  return "<collision>" + origin + "<geometry>" + geometry + "</geometry></collision>";
}

TEST_CASE("the collision shapes of a URDF are contained in capsules on their links") {
  const std::string turned = "<origin xyz='1 2 3' rpy='0 1.5707963267948966 0'/>";  // z of the shape along x
  const auto capsules = parse_urdf_capsules(with(shape("<sphere radius='0.3'/>", turned) +
                                                 shape("<cylinder radius='0.1' length='2'/>", turned) +
                                                 shape("<box size='0.2 0.4 3'/>", turned)));
  REQUIRE(capsules.size() == 3);
  for (const LinkCapsule& capsule : capsules) {
    CHECK(capsule.link == "arm");
    CHECK((0.5 * (capsule.capsule.a + capsule.capsule.b) - Eigen::Vector3d(1, 2, 3)).norm() < 1e-12);
  }
  CHECK(capsules[0].capsule.radius == 0.3);
  CHECK((capsules[0].capsule.a - capsules[0].capsule.b).norm() == 0);
  const auto outside = [](const LinkCapsule& capsule, const Eigen::Vector3d& point) {
    return closest(capsule.capsule, Capsule::sphere(point, 0)).distance;
  };
  for (const double end : {0.0, 2.0})
    for (const double side : {-0.1, 0.1}) CHECK(outside(capsules[1], {end, 2 + side, 3}) < 1e-12);
  CHECK(capsules[1].capsule.radius < 0.11);
  for (const double x : {-0.5, 2.5})
    for (const double y : {1.8, 2.2})
      for (const double z : {2.9, 3.1}) CHECK(outside(capsules[2], {x, y, z}) < 1e-12);
  CHECK(capsules[2].capsule.radius < 0.24);
}

TEST_CASE("a mesh of a URDF is loaded by the caller, scaled, and contained") {
  std::string asked;
  const UrdfMeshes meshes = [&](const std::string& name) {
    asked = name;
    return Eigen::Matrix3Xd{{0, 1000}, {0, 0}, {0, 0}};  // a stick along x, in mm
  };
  const std::string robot = with(shape("<mesh filename='package://arm/stick.stl' scale='0.001 0.001 0.001'/>"));
  const auto capsules = parse_urdf_capsules(robot, meshes);
  REQUIRE(capsules.size() == 1);
  CHECK(asked == "package://arm/stick.stl");
  CHECK((capsules[0].capsule.a - capsules[0].capsule.b).norm() == Approx(1));
  CHECK(capsules[0].capsule.radius < 1e-6);
  CHECK_THROWS_WITH(parse_urdf_capsules(robot), Contains("URDF:3: <link name=\"arm\">") && Contains("stick.stl"));
  CHECK_THROWS_WITH(parse_urdf_capsules(robot, [](const std::string&) { return Eigen::Matrix3Xd(3, 0); }),
                    Contains("\"arm\"") && Contains("0 points"));
}

TEST_CASE("collision shapes that are none are refused with the link, and a robot without any has no capsules") {
  for (const char* geometry : {"<sphere radius='-1'/>", "<sphere radius='nan'/>", "<cylinder radius='1' length='-2'/>",
                               "<box size='1 -2 3'/>", "<box size='1 2'/>", "<cone/>", "<sphere/>"})
    CHECK_THROWS_AS(parse_urdf_capsules(with(shape(geometry))), std::runtime_error);
  CHECK(parse_urdf_capsules(with("")).empty());
}

}  // namespace
}  // namespace quoin::rigid_body

#endif
