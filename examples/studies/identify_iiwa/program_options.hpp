// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/identification_study.hpp"
#include "examples/studies/program/library.hpp"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace studies::iiwa {

/// What the command line asks for.
struct ProgramOptions {
  StudyChoice study;
  double seconds = 240;  ///< of the recorded motion
  std::vector<std::string> parts = {"simulation", "online", "harder", "payload"};
  std::filesystem::path out = "out/identify_iiwa";
  std::filesystem::path json;
  bool quick = false;

  bool has(const std::string& part) const;
  /// The study for which the claims are made that the program checks.
  bool pinned() const;
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages have been printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::iiwa
