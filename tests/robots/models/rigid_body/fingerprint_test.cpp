// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/gravity_map.hpp"
#include "quoin/robots/models/rigid_body/mass_matrix_map.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"
#include "testing/fingerprint_laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::rigid_body;

namespace {

struct Parts {
  std::vector<Link> links;
  Eigen::Vector3d gravity = DynamicsOptions{}.gravity;
  Eigen::Vector3d place{0, 0, 0.1};  // of a point on the last link
  std::string on = "hand";
};

/// Two revolute joints on one axis that ties, a slide, and a hand that is fixed to it.
Parts parts() {
  const auto placed = [](double angle, const Eigen::Vector3d& at) {
    return Eigen::Isometry3d(Eigen::Translation3d(at) * Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 2, 2) / 3));
  };
  const Eigen::Matrix3d about{{2e-3, 1e-4, 0}, {1e-4, 3e-3, 2e-4}, {0, 2e-4, 4e-3}};
  const Inertia body{.mass = 1.3, .centre = {0.01, 0.02, 0.1}, .about_centre = about};
  const Eigen::Vector3d tied = Eigen::Vector3d(1, 1, 0).normalized();
  return {.links = {{"upper", "", {"a", JointType::revolute, tied}, placed(0.3, {0, 0, 0.2}), body},
                    {"lower", "upper", {"b", JointType::revolute, tied}, placed(-0.4, {0.1, 0, 0.3}), body},
                    {"slide", "lower", {"c", JointType::prismatic}, placed(0.5, {0, 0.1, 0.2}), body},
                    {"hand", "slide", {.name = "d"}, placed(0.6, {0, 0, 0.1}), body}}};
}

using Changes = std::vector<Change<Parts>>;

std::string mass_text(const Parts& p) { return MassMatrixMap<3>(RigidBodyTree(p.links)).fingerprint().text(); }
std::string gravity_text(const Parts& p) {
  return GravityMap<3>(RigidBodyTree(p.links), p.gravity).fingerprint().text();
}
std::string tree_text(const Parts& p) { return RigidBodyTree(p.links).fingerprint().text(); }
std::string points_text(const Parts& p) {
  const RigidBodyTree tree(p.links);
  return TreePoints(tree, {{tree.frame("upper")}, {tree.frame(p.on), p.place}, {{}, {1, 0, 0}}}).fingerprint().text();
}

Changes operator+(Changes a, const Changes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Of every link alone.
Changes of_links(const std::string& what, std::size_t links, const std::function<void(Link&)>& change) {
  Changes changes;
  for (std::size_t i = 0; i < links; ++i)
    changes.push_back({what + " of link " + std::to_string(i), [i, change](Parts& p) { change(p.links[i]); }});
  return changes;
}

Changes kinematics() {
  Changes changes{{"parent", [](Parts& p) { p.links[2].parent = "upper"; }},
                  {"type", [](Parts& p) { p.links[2].joint.type = JointType::revolute; }},
                  {"a tie turned", [](Parts& p) { p.links[0].joint.axis = Eigen::Vector3d(1, 0, 1).normalized(); }}};
  for (int axis = 0; axis < 3; ++axis)
    changes = changes + of_links("origin along " + std::to_string(axis), 3,
                                 [axis](Link& link) { link.placement.translation()[axis] += 1e-6; });
  return changes +
         of_links("rotation", 3,
                  [](Link& link) {
                    link.placement.linear() *= Eigen::AngleAxisd(1e-6, Eigen::Vector3d::UnitX()).toRotationMatrix();
                  }) +
         of_links("axis", 3, [](Link& link) {
           link.joint.axis = (link.joint.axis + 1e-6 * Eigen::Vector3d::UnitZ().cross(link.joint.axis) +
                              1e-6 * Eigen::Vector3d::UnitY())
                                 .normalized();
         });
}

Changes masses() {
  return of_links("mass", 4, [](Link& link) { link.inertia.mass += 1e-6; }) +
         of_links("centre", 4, [](Link& link) { link.inertia.centre.y() += 1e-6; });
}

Changes inertias() {
  return of_links("moment of inertia", 4, [](Link& link) { link.inertia.about_centre(2, 2) += 1e-9; }) +
         of_links("product of inertia", 4, [](Link& link) {
           link.inertia.about_centre(0, 1) += 1e-9;
           link.inertia.about_centre(1, 0) += 1e-9;
         });
}

Changes resistances() {
  return of_links("damping", 3, [](Link& link) { link.joint.damping += 1; }) +
         of_links("friction", 3, [](Link& link) { link.joint.friction += 1; });
}

Changes names_and_limits() {
  return {{"name of a joint", [](Parts& p) { p.links[0].joint.name = "shoulder"; }},
          {"name of a link", [](Parts& p) { p.links[2].name = p.links[3].parent = "rail"; }},
          {"lower", [](Parts& p) { p.links[0].joint.lower = -1; }},
          {"upper", [](Parts& p) { p.links[0].joint.upper = 1; }},
          {"velocity", [](Parts& p) { p.links[0].joint.velocity = 1; }},
          {"effort", [](Parts& p) { p.links[0].joint.effort = 1; }},
          {"last bits of an axis",
           [](Parts& p) { p.links[0].joint.axis[0] = std::nextafter(p.links[0].joint.axis[0], 1); }},
          {"last bits of a rotation", [](Parts& p) { p.links[1].placement.linear() *= 1 + 2e-16; }}};
}

const Change<Parts> gravity{"gravity", [](Parts& p) { p.gravity.x() = 1e-6; }};

}  // namespace

TEST_CASE("the fingerprints of a tree's maps tell apart whatever changes them, and nothing else") {
  check_fingerprint(parts(), mass_text, kinematics() + masses() + inertias(),
                    resistances() + names_and_limits() + Changes{gravity});
  check_fingerprint(parts(), gravity_text, kinematics() + masses() + Changes{gravity},
                    inertias() + resistances() + names_and_limits());
  check_fingerprint(parts(), tree_text, kinematics() + masses() + inertias() + resistances(), names_and_limits());
  const Changes points{{"place", [](Parts& p) { p.place.x() += 1e-6; }},
                       {"link of a point", [](Parts& p) { p.on = "lower"; }},
                       {"where the hand is fixed", [](Parts& p) { p.links[3].placement.translation().x() += 1e-6; }}};
  check_fingerprint(parts(), points_text, kinematics() + points,
                    masses() + inertias() + resistances() + names_and_limits());
}

TEST_CASE("parameters that were learned change a tree's fingerprint") {
  const RigidBodyTree tree(parts().links);
  Parameters learned = tree.parameters();
  CHECK(tree.with_parameters(learned).fingerprint().text() == tree.fingerprint().text());
  learned(5, 1) += 1e-9;  // I_xy alone: not symmetric
  CHECK(tree.with_parameters(learned).fingerprint().text() != tree.fingerprint().text());
}

TEST_CASE("every build gives a tree these fingerprints") {
  CHECK(mass_text(parts()) == "rigid_body::MassMatrixMap 5dd817bb5da7375b");
  CHECK(points_text(parts()) == "rigid_body::TreePoints 82a9e3977875abc6");
}
