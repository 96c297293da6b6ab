// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/arch_branches.hpp"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace studies::branches {

struct SnapTask {
  Eigen::Vector2d target = {-0.0012, -0.095};  ///< of the crown, m: on the lower branch
  double overshoot = 0.05;                     ///< behind each fold, N
};

/// A plan from no load to the target and back, over the branches up, down, up: straight moves of the loads through
/// knots. 0: none; 1: behind the fold of the upper branch; 2: the crown at the target, on the lower branch; 3: behind
/// the fold of the lower branch; 4: none.
struct SnapPlan {
  bool found = false;
  std::array<Point<2>, 5> knots = {};
  double moves = 0;        ///< root of the sum of the squared moves, N
  double first_moves = 0;  ///< that of the first guess, once its crown is at the target
  long corrections = 0;    ///< of the arch, while planning
  int iterations = 0;
  // On one branch alone:
  double nearest_on_upper = 0;  ///< least distance of the crown from the target on the upper branch, m
};

/// Chooses the directions in which the folds are crossed, and the loads at the target, such that the moves are small:
/// a least-squares problem whose rays end at folds, differentiated by the folds' normals. Started on both sides of each
/// fold's cusp; the best is returned.
SnapPlan plan_snaps(const ArchBranches& branches, const SnapTask& task);

/// The plan carried out by continuation of the arch itself, and by riding the branches.
struct Replay {
  std::array<double, 2> exact_snaps = {},
                        ridden_snaps = {};  ///< along moves 1 and 3, N from their beginning; NaN: none
  double miss = 0;                          ///< of the crown at the target, m
  double returned_to = 0;  ///< distance of the arch from its first state at the end, largest coordinate, m
  std::vector<Eigen::VectorXd> shapes = {};  ///< at rest, in front of and behind the first snap, at the target
};
Replay replay(const ArchBranches& branches, const SnapTask& task, const SnapPlan& plan);

}  // namespace studies::branches
