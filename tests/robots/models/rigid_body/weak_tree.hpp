// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/random_tree.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// Trees whose mass matrices are singular, or nearly so, and how nearly in more digits than a double has.
namespace quoin::rigid_body {

using Fine = long double;
using FineVector = Eigen::Matrix<Fine, Eigen::Dynamic, 1>;

struct WeakTree {
  std::vector<Link> links;
  bool singular = false;  ///< by its making, in every state
};

inline int children_of(const std::vector<Link>& links, const std::string& name) {
  return static_cast<int>(
      std::count_if(links.begin(), links.end(), [&](const Link& link) { return link.parent == name; }));
}

/// 1 to `most` links in any units of length and mass. Some are light, some thin with their centre on their axis, some
/// move as a light parent does: by factors of 1 to 1e-20, or exactly.
inline WeakTree weak_tree(unsigned seed, int most) {
  RandomNumbers random(seed);
  WeakTree tree{random_links(static_cast<int>(random.between(1, most + 1)), seed)};
  const double metre = std::pow(10, random.between(-3, 2)), kilogram = std::pow(10, random.between(-6, 6));
  const double weak = random.between(0, 0.5);
  for (Link& link : tree.links) {
    if (link.joint.type == JointType::fixed) link.joint.type = JointType::revolute;
    if (random.between(0, 1) > weak) continue;
    const double kind = random.between(0, 1);
    const double factor = random.between(0, 1) < 0.3 ? 0 : std::pow(10, random.between(-20, 0));
    const bool last = children_of(tree.links, link.name) == 0;
    if (kind < 0.35) {
      link.inertia.mass *= factor;
      link.inertia.about_centre *= factor;
      tree.singular |= factor == 0 && last;
    } else if (kind < 0.7) {
      link.inertia.centre = random.between(-0.3, 0.3) * link.joint.axis;
      link.inertia.about_centre *= factor;
      tree.singular |= factor == 0 && last && link.joint.type == JointType::revolute;
    } else if (!link.parent.empty()) {
      Link& parent = *std::find_if(tree.links.begin(), tree.links.end(),
                                   [&](const Link& other) { return other.name == link.parent; });
      link.placement.linear().setIdentity();
      link.placement.translation() = random.between(-0.5, 0.5) * parent.joint.axis;
      link.joint.axis = parent.joint.axis;
      link.joint.type = parent.joint.type;
      parent.inertia.mass *= factor;
      parent.inertia.about_centre *= factor;
      tree.singular |= factor == 0 && children_of(tree.links, parent.name) == 1;
    }
  }
  for (Link& link : tree.links) {
    link.placement.translation() *= metre;
    link.inertia.mass *= kilogram;
    link.inertia.centre *= metre;
    link.inertia.about_centre *= kilogram * metre * metre;
  }
  return tree;
}

/// The inverse of the least eigenvalue of M_ij / sqrt(s_i s_j), s_j what joint j would meet if nothing cancelled
/// (docs/notes/rigid_body.md), from bodies and places.
inline double condition_in_sizes(NewtonEuler<Fine>& dynamics, const FineVector& q) {
  const RigidBodyTree& tree = dynamics.tree();
  const int n = tree.joints();
  FineVector size = FineVector::Zero(n);
  for (int j = 0; j < n; ++j) {
    const auto joint = dynamics.pose(q, Frame{j, Eigen::Isometry3d::Identity()});
    const Eigen::Matrix<Fine, 3, 1> axis = joint.linear() * tree.joint(j).axis.cast<Fine>(), at = joint.translation();
    for (int i = j; i < n; ++i) {
      if (!tree.is_ancestor(j, i)) continue;
      const BodyParameters body = tree.parameters().col(i);
      const double mass = body[0];
      const Eigen::Vector3d centre = body.segment<3>(1) / (mass > 0 ? mass : 1);
      const double spread = body[4] + body[8] + body[12] - 2 * mass * centre.squaredNorm();
      const Eigen::Matrix<Fine, 3, 1> centre_in_world =
          dynamics.pose(q, Frame{i, Eigen::Isometry3d::Identity()}) * Eigen::Matrix<Fine, 3, 1>(centre.cast<Fine>());
      size[j] += tree.joint(j).type == JointType::prismatic
                     ? mass
                     : spread + 2 * mass * centre_in_world.squaredNorm() + mass * at.cross(axis).squaredNorm();
    }
  }
  if (!(size.minCoeff() > 0)) return std::numeric_limits<double>::infinity();
  Eigen::Matrix<Fine, Eigen::Dynamic, Eigen::Dynamic> M(n, n);
  dynamics.mass_matrix(q, M);
  const FineVector scale = size.cwiseSqrt().cwiseInverse();
  M = scale.asDiagonal() * M * scale.asDiagonal();
  const Fine least = Eigen::SelfAdjointEigenSolver<decltype(M)>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
  return least > 0 ? static_cast<double>(1 / least) : std::numeric_limits<double>::infinity();
}

}  // namespace quoin::rigid_body
