// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/any_planner/swim_task.hpp"
#include "examples/studies/program/library.hpp"

#include <cstdint>

namespace studies::any_planner {

enum class Tree {
  rrt,  ///< OMPL's rapidly exploring random tree (LaValle, Kuffner 2001): ends with the first plan
  sst   ///< OMPL's stable sparse tree (Li, Littlefield, Bekris 2016): uses up its budget for a shorter motion
};

struct TreeOptions {
  double goal_bias = 0.1;
  int shortest_hold = 2, longest_hold = 15;  ///< time steps over which a sampled torque is held
  double rate_weight = 0.15;                 ///< s; of the trees' metric, in which an angle of a joint weighs 1 / rad
  double turn_weight = 0.5;                  ///< 1 / rad
  double way_weight = 20;                    ///< 1 / m
  double selection_radius = 0.3;             ///< of SST, in that metric
  double pruning_radius = 0.1;
};

/// Whether this build has OMPL.
bool can_grow_trees();

/// Torques are sampled within their limits and held. The seed decides all but where the time runs out. Throws
/// std::runtime_error in a build without OMPL.
Plan grow_tree(const Task& task, const Model& model, Tree tree, std::uint32_t seed, const Budget& budget,
               const TreeOptions& options = {});

}  // namespace studies::any_planner
