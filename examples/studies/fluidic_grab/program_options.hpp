// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"

#include <string>

namespace studies::grab {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  std::string part = "all";  ///< identify, reach, plan, learn
  int seeds = 5;             ///< number of seeds of the learning protocols

  bool wants(const std::string& name) const { return part == "all" || part == name; }
  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const { return !quick && seeds == ProgramOptions{}.seeds; }
};

}  // namespace studies::grab
