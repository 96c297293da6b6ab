// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/common_options.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace studies::iiwa {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  StudyChoice study;
  double seconds = 240;  ///< of the recorded motion
  std::vector<std::string> parts = {"simulation", "online", "harder", "payload"};

  bool has(const std::string& part) const { return std::ranges::find(parts, part) != parts.end(); }
  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const {
    const ProgramOptions standard;
    return !quick && study.learning.weighted && seconds == standard.seconds &&
           study.learning.epochs == standard.study.learning.epochs;
  }
};

}  // namespace studies::iiwa
