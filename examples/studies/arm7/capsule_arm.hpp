// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/geometry/collision_model.hpp"
#include "quoin/robots/geometry/shapes.hpp"
#include "quoin/robots/models/rigid_body/tree_points.hpp"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace studies {

/// An arm for a collision checker and topological maps: points on its links, and capsules between them.
struct CapsuleArm {
  rigid_body::RigidBodyTree tree;
  std::vector<rigid_body::TreePoints::Point> chain;  ///< from the base to the tip; the first of the points
  std::vector<rigid_body::TreePoints::Point> others = {};
  std::vector<CollisionBody> bodies = {};              ///< between the points: chain, then others
  int self_steps = 2;                                  ///< bodies nearer than this along the arm may touch
  std::vector<std::array<int, 2>> ignored_pairs = {};  ///< {body, obstacle} that may touch

  rigid_body::TreePoints points() const;        ///< all of them
  rigid_body::TreePoints chain_points() const;  ///< the chain alone
  CollisionModel collision_model() const;
  Eigen::VectorXd lower() const;  ///< limits of the joints, rad
  Eigen::VectorXd upper() const;
};

/// The bodies as shapes in the world: points 3 x P.
std::vector<Capsule> capsules_at(const CapsuleArm& arm, const Eigen::Matrix3Xd& points);

/// A KUKA iiwa 7 with a rod along its flange: points at base, shoulder, elbow, wrist, flange and tip.
/// Throws std::runtime_error in a build without urdfdom.
CapsuleArm iiwa_with_rod(double length, double radius);

}  // namespace studies
