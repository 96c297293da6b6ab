// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/study.hpp"

#include <filesystem>
#include <variant>

namespace studies::unwrap {

/// The options of the command line.
struct ProgramOptions {
  StudyChoice study;
  std::filesystem::path out = "out/unwrap";
  std::filesystem::path json;
  bool quick = false;
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::unwrap
