// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"

#include <filesystem>
#include <limits>
#include <map>
#include <string>

namespace studies::laser {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  bool plane = true, space = true;                                        ///< arms to plan for
  GridChoice grid;                                                        ///< of the first plan
  std::filesystem::path mesh;                                             ///< empty: the standard arm
  std::map<std::string, double> young = {{"soft", 5e5}, {"stiff", 5e6}};  ///< of the mesh's element groups, Pa
  double line_force = 0;  ///< F0 of an arm from a mesh, N; 0: see soft_arm::BeamOptions::line_force
  double exact_seconds = std::numeric_limits<double>::infinity();  ///< for each exact planner; 0: left out
  bool obstacles = true;
  bool demo = false;  ///< a short report

  /// Whether these are the problem and the grid of the paper, for which the program checks its claims.
  bool pinned() const { return mesh.empty() && grid.jet_order == 1 && grid.spacing == 0.5 && grid.threshold == 0.2; }
};

}  // namespace studies::laser
