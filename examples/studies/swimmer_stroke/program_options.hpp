// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"
#include "examples/studies/swimming/stroke_study.hpp"

#include <filesystem>

namespace studies::stroke {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  int mesh = 6;                ///< n of the ellipsoids: 10 n^2 + 2 vertices per link
  int exact_mesh = 2;          ///< n of the ellipsoids for the exact planner
  GridChoice grid;             ///< of the first plan
  std::filesystem::path link;  ///< surface of all links; empty: ellipsoids
  double gap = 0.02;           ///< between links from a file, m
  double exact_seconds = 60;   ///< budget of the exact planner; 0: left out

  /// Whether these are the problem and the grid of the paper, for which the program checks its claims.
  bool pinned() const { return link.empty() && grid.spacing == 0.3 && grid.threshold == 0.1 && grid.tolerance == 0; }
};

}  // namespace studies::stroke
