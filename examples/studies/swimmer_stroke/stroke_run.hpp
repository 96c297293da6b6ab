// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_stroke/program_options.hpp"
#include "examples/studies/swimming/stroke_study.hpp"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace studies::stroke {

/// Torques played on exact dynamics.
struct Replay {
  Eigen::MatrixXd states = {};  ///< as Plan::states
  double distance = 0;          ///< m
  double cost = 0;
  double largest_angle_difference = 0;  ///< from the plan, rad
  double seconds = 0;
  long evaluations = 0;
};

/// What a plan through the grid knows beside the plan.
struct GridResult {
  GridChoice choice;
  GridView<joints> solved;
  GridStatistics statistics;
  std::optional<StepErrors> errors = {};
};

/// One planner's plan.
struct PlannerResult {
  std::string key = {};   ///< of files: grid, grid_one_level, grid_as_exact, exact
  std::string name = {};  ///< for people
  std::string color = {};
  long vertices = 0;  ///< P, of all links
  Plan plan = {};
  std::optional<GridResult> grid = {};  ///< of plans through the grid
  std::optional<Replay> replay = {};    ///< if it was played on exact dynamics
  double seconds = 0;                   ///< of the whole planning; extrapolated if the budget cut it
  double evaluations = 0;
  std::string extrapolated = {};  ///< how; empty: all was done
  int iterations_wanted = 0;      ///< to which it was extrapolated; 0: it was not
};

struct StrokeResult {
  Fish fish;
  std::vector<PlannerResult> planners = {};  ///< the first grid's, then those that were run
  /// Of exact planning with `fish` itself, estimated: as many evaluations as `exact`, at their measured ratio of costs.
  double exact_seconds = 0;
  double seconds_per_evaluation = 0;  ///< of f and its Jacobian with `fish`, on one core

  const PlannerResult& grid() const { return planners.front(); }
  /// The planner of that key, or null if it was not run.
  const PlannerResult* find(const std::string& key) const {
    for (const PlannerResult& planner : planners)
      if (planner.key == key) return &planner;
    return nullptr;
  }
};

/// Makes every plan that the options ask for; shows progress on std::cerr. Throws std::runtime_error for a surface that
/// cannot be a link.
StrokeResult run_stroke(const ProgramOptions& options);

/// The spacings that a grid's plan goes through: "0.3 to 0.075".
std::string spacings(const GridChoice& choice);

}  // namespace studies::stroke
