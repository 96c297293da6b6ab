// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <filesystem>
#include <string>
#include <variant>

namespace studies::grab {

/// What the command line asks for.
struct ProgramOptions {
  std::string part = "all";  ///< identify, reach, plan, learn
  int seeds = 5;             ///< of the learning protocols
  std::filesystem::path out = "out/fluidic_grab";
  std::filesystem::path json;
  bool quick = false;

  bool wants(const std::string& name) const { return part == "all" || part == name; }
  /// The study for which the claims are made that the program checks.
  bool pinned() const { return !quick && seeds == ProgramOptions{}.seeds; }
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages have been printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::grab
