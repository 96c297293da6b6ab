// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/grid/grid_statistics.hpp"

#include <algorithm>
#include <string>

/// How many evaluations of f come together while an example plans: what several evaluators can save.
namespace benchmarks::rounds {

/// An example's plan through a grid of its own.
struct PlanRounds {
  std::string example, plan;
  bool ahead = false;  ///< GridOptions::evaluate_ahead
  quoin::GridStatistics used;
  double cost = 0;  ///< of the plan

  double together() const { return static_cast<double>(used.exact_evaluations) / static_cast<double>(used.batches); }
};

PlanRounds pendulum(bool ahead);
PlanRounds oscillation(bool ahead);
PlanRounds soft_arm_reach(bool ahead);
PlanRounds laser(bool ahead, int jet_order);
/// From a spacing of 0.3 rad until it is below the threshold.
PlanRounds stroke(bool ahead, double threshold);

/// Rounds of f that a plan waits for with so many evaluators, at least: as many if its batches are of one size.
inline double rounds_with(const PlanRounds& plan, double evaluators) {
  return static_cast<double>(plan.used.batches) * std::max(1.0, plan.together() / evaluators);
}

}  // namespace benchmarks::rounds
