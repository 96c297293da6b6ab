// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/arch.hpp"
#include "examples/studies/snap_through/hysteresis_path.hpp"
#include "examples/studies/snap_through/study.hpp"
#include "quoin/map/solution_branch.hpp"
#include "quoin/quoin.hpp"

#include <array>
#include <vector>

namespace studies::branches {

using Path = HysteresisPath<2, GridView<2>>;

/// An arch's two branches, seeded from its starts without load, each under a grid that calls its branch where a corner
/// has ended. SolutionBranch 0 is up, 1 down.
class ArchBranches {
 public:
  /// Waypoints lie at the corners of the setup's level. Throws std::invalid_argument if the origin is no corner.
  ArchBranches(const Arch& arch, const Setup& setup);

  const Arch& arch() const { return arch_; }
  const Setup& setup() const { return setup_; }
  const SolutionBranch<2>& branch(int i) const { return branches_[static_cast<std::size_t>(i)]; }
  GridView<2> view(int i) const { return grids_[static_cast<std::size_t>(i)].at_level(setup_.level); }
  /// Follows the views; comes to rest where the arch settles.
  Path path() const;

  long corrections() const { return branches_[0].corrections() + branches_[1].corrections(); }  ///< in all, of the arch
  /// Where branch i ends on rows of the setup's domain, from its middle row outward along the jump's axis.
  std::vector<Point<2>> fold_curve(int i, int rows) const;

 private:
  Arch arch_;
  Setup setup_;
  std::vector<SolutionBranch<2>> branches_;
  std::vector<AdaptiveGrid<2>> grids_;
};

/// One side of a hysteresis loop.
struct LoopSide {
  std::vector<double> at = {};                   ///< along the jump's axis
  std::vector<double> exact = {}, on_grid = {};  ///< the observable: by continuation of the body; on the branches
  double exact_snap = 0, snap = 0;               ///< load; NaN if there was none
  double worst = 0, worst_near_fold = 0;  ///< error of the observable on the side's first branch; within 1 N of its end
  double called = 0;                      ///< share of the answers that called the branch at the query
  long corrections = 0;                   ///< of the body, for this side
};

/// The loop on the setup's line: loads raised over the whole domain and lowered again, on the branches and exactly.
/// step: largest step of exact continuation; folds are bracketed to 1e-6.
struct Loop {
  LoopSide rising = {}, falling = {};
  long again = 0;  ///< corrections for riding the whole loop once more
};
Loop follow_loop(const ArchBranches& branches, double step);

}  // namespace studies::branches
