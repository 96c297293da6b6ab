// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"

namespace studies::spheres {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  int scenes = 5;
  int motions = 50;  ///< number of motions of each scene, at each amplitude

  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const { return !quick && scenes == ProgramOptions{}.scenes && motions == ProgramOptions{}.motions; }
};

}  // namespace studies::spheres
