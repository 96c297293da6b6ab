// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/library.hpp"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace studies::iiwa {

/// The options of the command line.
struct ProgramOptions {
  StudyChoice study;
  double seconds = 240;  ///< of the recorded motion
  std::vector<std::string> parts = {"simulation", "online", "harder", "payload"};
  std::filesystem::path out = "out/identify_iiwa";
  std::filesystem::path json;
  bool quick = false;

  bool has(const std::string& part) const;
  /// Whether the choices are those for which the program checks its claims.
  bool pinned() const;
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::iiwa
