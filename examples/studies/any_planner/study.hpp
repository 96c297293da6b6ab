// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/any_planner/swim_task.hpp"
#include "examples/studies/program/library.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace studies::any_planner {

struct StudyChoice {
  std::vector<std::string> planners{"mppi", "rrt", "sst"};  ///< in this order they fill the grid
  double goal = 0.1;                                        ///< m
  int seeds = 10;
  std::uint64_t first_seed = 101;  ///< the options were chosen on seeds 1 to 5
  long long propagations = 400000;
  int exact_seeds = 1;  ///< of each planner, on exact dynamics too
  double exact_seconds = 20;
  int mesh = 2;  ///< n of the ellipsoids: 10 n^2 + 2 vertices per link
};

struct Run {
  std::string planner;
  bool on_grid;
  std::uint64_t seed;
  Plan plan;
  std::optional<Replay> replay = {};  ///< on exact dynamics, of a plan that was found
};

struct Results {
  std::vector<Run> runs;
  long corners;  ///< of the whole grid
};

/// The swimmer of the study: the task of any planner, with a torque of 0.2 N m at most.
Task make_task(int mesh);

/// Every planner on every seed through one grid, and on the first seeds on exact dynamics. A build without OMPL leaves
/// out the trees.
Results run_study(const StudyChoice& choice, const std::function<void(const Run&)>& observer);

}  // namespace studies::any_planner
