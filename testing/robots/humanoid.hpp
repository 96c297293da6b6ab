// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/link.hpp"

#include <string>
#include <vector>

namespace quoin::rigid_body {

/// A humanoid of 29 revolute joints whose pelvis is fixed to the world: two legs of 6, a waist of 3 and, on it, two
/// arms of 7, each link a rod. Made up, in the size and weight of a person.
inline std::vector<Link> humanoid_links() {
  std::vector<Link> links;
  const auto add = [&](const std::string& name, const std::string& parent, int axis, const Eigen::Vector3d& at,
                       double mass, double length) {  // a rod from the joint down, or up if the length is negative
    const double across = mass * 0.05 * 0.05 / 2, along = mass * length * length / 12 + across / 2;
    links.push_back({.name = name,
                     .parent = parent,
                     .joint = {.name = name + " joint",
                               .type = JointType::revolute,
                               .axis = Eigen::Vector3d::Unit(axis),
                               .damping = 0.5,
                               .friction = 0.2},
                     .placement = Eigen::Isometry3d(Eigen::Translation3d(at)),
                     .inertia = {.mass = mass,
                                 .centre = {0, 0, -length / 2},
                                 .about_centre = Eigen::Vector3d(along, along, across).asDiagonal()}});
  };
  for (const std::string side : {"left ", "right "}) {
    const double y = side == "left " ? 0.1 : -0.1;
    add(side + "hip pitch", "", 1, {0, y, -0.1}, 1.4, 0.1);
    add(side + "hip roll", side + "hip pitch", 0, {0, y / 5, -0.03}, 1.5, 0.1);
    add(side + "hip yaw", side + "hip roll", 2, {0.03, 0, -0.1}, 6.0, 0.3);
    add(side + "knee", side + "hip yaw", 1, {0, 0, -0.3}, 3.5, 0.4);
    add(side + "ankle pitch", side + "knee", 1, {0, 0, -0.4}, 0.3, 0.05);
    add(side + "ankle roll", side + "ankle pitch", 0, {0, 0, -0.02}, 0.9, 0.07);
  }
  add("waist yaw", "", 2, {0, 0, 0.1}, 0.8, -0.1);
  add("waist roll", "waist yaw", 0, {0, 0, 0.05}, 0.4, -0.05);
  add("torso", "waist roll", 1, {0, 0, 0.05}, 25.0, -0.5);
  for (const std::string side : {"left ", "right "}) {
    const double y = side == "left " ? 0.2 : -0.2;
    add(side + "shoulder pitch", "torso", 1, {0, y, 0.4}, 0.9, 0.1);
    add(side + "shoulder roll", side + "shoulder pitch", 0, {0, y / 5, 0}, 0.8, 0.1);
    add(side + "shoulder yaw", side + "shoulder roll", 2, {0, 0, -0.1}, 1.5, 0.25);
    add(side + "elbow", side + "shoulder yaw", 1, {0.02, 0, -0.2}, 0.8, 0.1);
    add(side + "wrist roll", side + "elbow", 2, {0, 0, -0.1}, 0.7, 0.15);
    add(side + "wrist pitch", side + "wrist roll", 1, {0, 0, -0.15}, 0.4, 0.05);
    add(side + "wrist yaw", side + "wrist pitch", 0, {0, 0, -0.05}, 0.3, 0.1);
  }
  return links;
}

}  // namespace quoin::rigid_body
