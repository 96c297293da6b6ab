// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <filesystem>
#include <string>
#include <variant>

namespace studies::grab {

/// The options of the command line.
struct ProgramOptions {
  std::string part = "all";  ///< identify, reach, plan, learn
  int seeds = 5;             ///< number of seeds of the learning protocols
  std::filesystem::path out = "out/fluidic_grab";
  std::filesystem::path json;
  bool quick = false;

  bool wants(const std::string& name) const { return part == "all" || part == name; }
  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const { return !quick && seeds == ProgramOptions{}.seeds; }
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::grab
