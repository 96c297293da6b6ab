// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/study.hpp"

#include <string>
#include <vector>

namespace studies::branches {

/// Answers of a grid, or of the body itself, in order along the line of a Setup.
struct Sweep {
  std::string key = {}, name = {};
  std::vector<double> at = {};        ///< along the jump's axis
  std::vector<double> observed = {};  ///< the observable
  std::vector<int> sides = {};        ///< label of the branch, by the observable's sign
  double snap = 0;                    ///< position of the first answer on another branch than the first; NaN: none
};

/// A grid over a body that follows its loads: swept up, queried at the same points on the way back,
/// and a second grid swept down.
struct History {
  Setup setup = {};
  Sweep body_up = {}, body_down = {};                   ///< the body alone
  Sweep grid_up = {}, grid_back = {}, fresh_down = {};  ///< one grid twice, then another
  double largest_change_on_way_back = 0;                ///< of grid_back from grid_up; the observable
  double differing = 0;  ///< share of the points on which the two grids disagree in branch
  long evaluations_up = 0, evaluations_back = 0, evaluations_down = 0;
  long shared_corners = 0, same_branch = 0;  ///< of the two grids
  /// Largest difference there between two outputs of one branch, relative to the largest output.
  double repeated_to = 0;
};

/// step: largest step of the loads in which the body follows them.
History sweep(const AnyBody& body, const Setup& setup, double step, double repeatable_to);

}  // namespace studies::branches
