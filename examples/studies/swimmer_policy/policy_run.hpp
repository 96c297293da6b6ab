// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/policy_study.hpp"
#include "examples/studies/swimmer_policy/program_options.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace studies::stroke {

/// One seed: a policy learned from its own random weights through a grid of its own.
struct SeedResult {
  std::uint64_t seed = 0;
  LearnedPolicy learned;
  GridStatistics statistics = {};
  Swim swim = {};    ///< of the policy's mean on the grid, as long as the planner's stroke
  Swim longer = {};  ///< the same, five times as long
};

/// The learned policies, and what they are compared with.
struct PolicyResult {
  Fish fish;
  LearningChoice choice = {};
  std::vector<SeedResult> seeds = {};
  std::size_t shown = 0;                        ///< the seed of median distance: in pictures and errors
  Swim planned = {};                            ///< the planner's stroke, also through a grid
  Swim on_exact = {};                           ///< the shown policy on boundary elements
  PolicyErrors errors = {};                     ///< of the shown policy's steps
  LearningCost cost = {};                       ///< of the shown policy
  std::optional<SearchedPolicy> searched = {};  ///< by the cross-entropy method
  std::optional<Swim> searched_swim = {};
  int cores = 1;

  const SeedResult& middle() const { return seeds[shown]; }
};

/// Learns with every seed; shows progress on std::cerr; saves learners as learner_<seed>.txt.
PolicyResult run_policies(const ProgramOptions& options, const figures::OutputFolder& out);

}  // namespace studies::stroke
