// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "examples/studies/soft_arm_laser/program_options.hpp"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace studies::laser {

/// Results of planning through the grid besides the plan.
struct GridResult {
  GridChoice choice;
  StepErrors errors;
  GridStatistics statistics;
  Eigen::MatrixXd corners;  ///< lines x corners, in the order in which they were evaluated
};

/// One planner's plan of one arm.
struct PlannerResult {
  std::string key = {};   ///< of files: grid, grid_enough, grid_jets, eq8, eq2
  std::string name = {};  ///< for people
  Plan plan = {};
  Replay replay = {};                   ///< on Eq. 2
  std::optional<Replay> polished = {};  ///< on Eq. 2, of the plan that was finished there
  std::optional<GridResult> grid = {};  ///< of plans through the grid
  double seconds = 0;                   ///< of the whole planning; extrapolated if the budget cut it
  double evaluations = 0;
  std::string extrapolated = {};  ///< how; empty: not extrapolated
};

/// The second scene: the beam keeps clear of two balls.
struct ObstacleResult {
  PlannerResult planner;
  std::vector<Ball> balls;
  double clearance = 0;           ///< least distance from the beam's line to a ball, m, on the planner's own dynamics
  double clearance_replayed = 0;  ///< on Eq. 2
  double clearance_polished = 0;  ///< on Eq. 2, of the plan that was finished there
};

template <int SpaceDim>
struct ArmResult {
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  Arm<SpaceDim> arm;
  std::vector<PlannerResult> planners = {};  ///< the first grid's, then the others that were run
  std::optional<ObstacleResult> obstacles = {};

  const PlannerResult& grid() const { return planners.front(); }
  /// The planner with that key, or null if it was not run.
  const PlannerResult* find(const std::string& key) const {
    for (const PlannerResult& planner : planners)
      if (planner.key == key) return &planner;
    return nullptr;
  }
  /// The plan that pictures of the arm show, the one that holds on the mesh in motion where it was made.
  const PlannerResult& shown() const {
    const PlannerResult* inertial = find("grid_inertial");
    return inertial ? *inertial : grid();
  }
};

/// Makes every plan that the options select; shows progress on std::cerr. eq2_iterations: the number of iterations that
/// Eq. 2 needed on another arm, to which a cut run of this one is extrapolated; 0: unknown.
template <int SpaceDim>
ArmResult<SpaceDim> run_arm(const ProgramOptions& options, int eq2_iterations);

/// The spacings used in turn for a grid's plan: "0.5 to 0.125", "1.5 until 4.5e-06 m".
std::string spacings(const GridChoice& choice);

/// "plane" or "space".
template <int SpaceDim>
std::string arm_name() {
  return SpaceDim == 2 ? "plane" : "space";
}

}  // namespace studies::laser
