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

/// Torques replayed on exact dynamics.
struct Replay {
  Eigen::MatrixXd states = {};  ///< as Plan::states
  double distance = 0;          ///< m
  double cost = 0;
  double largest_angle_difference = 0;  ///< from the plan, rad
  double seconds = 0;
  long evaluations = 0;
};

/// Results of planning through the grid besides the plan.
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
  long vertices = 0;      ///< P, of all links
  Plan plan = {};
  std::optional<GridResult> grid = {};  ///< of plans through the grid
  std::optional<Replay> replay = {};    ///< if it was replayed on exact dynamics
  double seconds = 0;                   ///< of the whole planning; extrapolated if the budget cut it
  double evaluations = 0;
  std::string extrapolated = {};  ///< how; empty: not extrapolated
  int iterations_wanted = 0;      ///< number extrapolated to; 0: not extrapolated
};

struct StrokeResult {
  Fish fish;
  std::vector<PlannerResult> planners = {};  ///< the first grid's, then the others that were run
  /// Estimated time of exact planning with `fish` itself: as many evaluations as `exact`, at
  /// their measured ratio of costs.
  double exact_seconds = 0;
  double seconds_per_evaluation = 0;  ///< of f and its Jacobian with `fish`, on one core

  const PlannerResult& grid() const { return planners.front(); }
  /// The planner with that key, or null if it was not run.
  const PlannerResult* find(const std::string& key) const {
    for (const PlannerResult& planner : planners)
      if (planner.key == key) return &planner;
    return nullptr;
  }
};

/// Makes every plan that the options select; shows progress on std::cerr. Throws std::runtime_error for a
/// surface that cannot be a link.
StrokeResult run_stroke(const ProgramOptions& options);

/// The spacings used in turn for a grid's plan: "0.3 to 0.075".
std::string spacings(const GridChoice& choice);

}  // namespace studies::stroke
