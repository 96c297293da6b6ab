// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"

#include <string>

namespace studies::grab {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  std::string part = "all";  ///< identify, reach, plan, learn
  int seed = 10001;          ///< the first of the learning protocols and of starts of plans; the others follow
  int seeds = 5;             ///< number of seeds of the learning protocols

  bool wants(const std::string& name) const { return part == "all" || part == name; }
};

}  // namespace studies::grab
