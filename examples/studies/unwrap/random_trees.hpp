// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/scene.hpp"

#include <Eigen/Core>

#include <cstdint>

namespace studies::unwrap {

enum class Tree { rrt, rrt_connect };

struct TreeOptions {
  double range = 1;               ///< rad: longest extension of a tree, Euclidean over all joints
  double goal_bias = 0.1;         ///< of RRT; RRT-Connect always tries the other tree
  double resolution = 0.05;       ///< rad, Euclidean: step in which motions are checked
  long long max_checks = 100000;  ///< configurations
};

struct GrownPath {
  bool found = false;
  Eigen::MatrixXd q;           ///< 29 x any number
  Eigen::MatrixXd simplified;  ///< after shortcuts and smoothing, with at most as many checks again
  long long checks = 0;        ///< until it was found
  long long simplify_checks = 0;
  double seconds = 0;
  double simplify_seconds = 0;
};

/// Whether this build has OMPL.
bool can_grow_trees();

/// OMPL's RRT or RRT-Connect from the scene's start to q = goal within the joints' limits, with the same checker as
/// AICO's. Deterministic for a seed. Throws std::runtime_error in a build without OMPL.
GrownPath grow_tree(const Scene& scene, const Eigen::VectorXd& goal, Tree tree, std::uint32_t seed,
                    const TreeOptions& options = {});

}  // namespace studies::unwrap
