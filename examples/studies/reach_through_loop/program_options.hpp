// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/reach_study.hpp"

#include <filesystem>
#include <variant>

namespace studies::loop {

/// The options of the command line.
struct ProgramOptions {
  StudyChoice study;
  std::filesystem::path out = "out/reach_through_loop";
  std::filesystem::path json;
  bool quick = false;

  /// Whether the study is large enough for the claims that the program checks.
  bool whole() const { return !quick && study.poses >= 50 && study.tuning_poses >= 20; }
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::loop
