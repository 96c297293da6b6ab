// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/policy_study.hpp"

#include <cstdint>
#include <filesystem>
#include <variant>

namespace studies::stroke {

/// The options of the command line.
struct ProgramOptions {
  int mesh = 6;  ///< n of the ellipsoids: 10 n^2 + 2 vertices per link
  LearningChoice choice;
  int seeds = 5;
  std::uint64_t first_seed = 1;
  int exact_samples = 256;       ///< steps drawn from the policy's rollouts that are taken on boundary elements
  int search_iterations = 120;   ///< of the cross-entropy method; 0: left out
  std::filesystem::path resume;  ///< a learner's file to continue from; then one seed, that of the file
  std::filesystem::path replay;  ///< a policy's or learner's file to swim with, without learning
  std::filesystem::path out = "out/swimmer_policy";
  std::filesystem::path json;
  bool quick = false;

  /// Whether this is the problem for which the program checks its claims.
  bool pinned() const;
};

/// The options, or the exit status if there is nothing to run (help, a mistake); messages are printed.
std::variant<ProgramOptions, int> parse_options(int argc, char** argv);

}  // namespace studies::stroke
