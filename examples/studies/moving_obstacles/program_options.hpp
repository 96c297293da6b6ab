// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <filesystem>
#include <variant>

namespace studies::spheres {

/// The options of the command line.
struct ProgramOptions {
  int scenes = 5;
  int motions = 50;  ///< number of motions of each scene, at each amplitude
  int threads = 1;
  std::filesystem::path out = "out/moving_obstacles";
  std::filesystem::path json;
  bool quick = false;

  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const { return !quick && scenes == ProgramOptions{}.scenes && motions == ProgramOptions{}.motions; }
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::spheres
