// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <array>
#include <vector>

namespace quoin {

/// A capsule of a robot: its ends are two of the robot's points, the same one twice for a sphere.
struct CollisionBody {
  int first, second;  ///< indices of points
  double radius;      ///< m, not negative
};

/// The bodies of a robot and the pairs to check. Points are passed to every query, from any kinematics.
struct CollisionModel {
  int points = 0;                                      ///< P: number of the robot's points
  std::vector<CollisionBody> bodies = {};              ///< B
  std::vector<std::array<int, 2>> self_pairs = {};     ///< S pairs of bodies to keep apart; see `bodies_apart`
  std::vector<std::array<int, 2>> ignored_pairs = {};  ///< {body, obstacle} that may touch, as a base and its table
};

/// All pairs {i, j}, i < j, of bodies at least `steps` apart, where bodies that share a point are one step apart: 2
/// leaves out neighbours, 3 also those with one body between them. Bodies joined by no chain of shared points are
/// infinitely far apart. Branches need no special numbering. O(B^2). Throws std::invalid_argument unless steps >= 1.
std::vector<std::array<int, 2>> bodies_apart(const std::vector<CollisionBody>& bodies, int steps);

}  // namespace quoin
