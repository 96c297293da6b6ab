// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"

#include <filesystem>

namespace studies {

/// The options that every study has; those of a study are derived from these. A CommandLine fills them in.
struct CommonOptions {
  std::filesystem::path out;   ///< the folder for results
  std::filesystem::path json;  ///< a file for the rows of results, empty: none
  bool quick = false;          ///< a small run
  bool checks = false;         ///< shows all checks, not only those that do not hold
};

}  // namespace studies
