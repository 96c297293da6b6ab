// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// How fine the mesh may become, and when it is fine enough.
struct CollocationRefinementOptions {
  CollocationOptions collocation = {};  ///< its ipopt.max_seconds is for all solves together
  double tolerance = 1e-3;              ///< of every interval's measured defect, in the states' units
  int max_solves = 8;                   ///< the first one included
  int max_intervals = 1000;             ///< ends before a mesh would have more
  int max_split = 4;                    ///< of an interval at once
};

/// Why collocation_refined ended.
enum class RefinementStop {
  tolerance_met,
  solve_failed,   ///< a solve did not converge: `plan` is the last that did, or the first solve's where none did
  solve_limit,    ///< max_solves done
  interval_limit  ///< the next mesh would have more than max_intervals
};

constexpr const char* to_string(RefinementStop stop) {
  switch (stop) {
    case RefinementStop::tolerance_met: return "tolerance met";
    case RefinementStop::solve_failed: return "solve failed";
    case RefinementStop::solve_limit: return "solve limit";
    case RefinementStop::interval_limit: return "interval limit";
  }
  return "unknown";
}

/// The last plan, and how the meshes became finer.
struct RefinedCollocation {
  CollocationPlan plan;                                ///< of the last solve that gave one
  RefinementStop stop = RefinementStop::solve_failed;  ///< why it ended
  std::vector<Eigen::VectorXd> meshes;                 ///< of every solve
  std::vector<double> defects;                         ///< the largest measured, of every solve
  std::vector<Stop> nlp_stops;                         ///< of every solve
  int iterations = 0;                                  ///< of all solves

  /// Whether every interval's measured defect is within the tolerance.
  bool converged() const { return stop == RefinementStop::tolerance_met; }
};

/// Collocation on ever finer meshes, from problem.times: solves, measures every interval's defect by fine integration,
/// splits those above the tolerance - into as many parts as the scheme's order says, since the defect of an interval
/// falls with h^(order + 1) - and begins the next solve at the last plan, until all are below.
/// Throws what `collocation` throws, and std::invalid_argument unless tolerance and limits are positive.
/// Defined only where QUOIN_HAS_IPOPT is.
RefinedCollocation collocation_refined(const CollocationProblem& problem, const CollocationPlan& guess,
                                       const CollocationRefinementOptions& options = {});

}  // namespace quoin::planning
