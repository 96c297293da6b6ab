// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"
#include "examples/studies/swimmer_policy/policy_study.hpp"

#include <cstdint>
#include <filesystem>

namespace studies::stroke {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  int mesh = 6;  ///< n of the ellipsoids: 10 n^2 + 2 vertices per link
  LearningChoice choice;
  int seeds = 5;
  std::uint64_t first_seed = 10001;  ///< settings were chosen on 1 to 5
  int exact_samples = 256;           ///< steps drawn from the policy's rollouts that are taken on boundary elements
  int search_iterations = 120;       ///< of the cross-entropy method; 0: left out
  std::filesystem::path resume;      ///< a learner's file to continue from; then one seed, that of the file
  std::filesystem::path replay;      ///< a policy's or learner's file to swim with, without learning

  /// Whether this is the problem for which the program checks its claims.
  bool pinned() const {
    const LearningChoice standard;
    return !quick && mesh == ProgramOptions{}.mesh && choice.grid.spacing == standard.grid.spacing &&
           choice.grid.threshold == standard.grid.threshold && choice.iterations == standard.iterations &&
           resume.empty() && replay.empty();
  }
};

}  // namespace studies::stroke
