// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

#include <limits>
#include <string>

namespace benchmarks {

/// A task planned, or learned, through a grid that is filled on demand.
struct OnDemand {
  long evaluations = 0;
  double seconds = 0;                                      ///< wall time, end to end
  double seconds_in_function = 0;                          ///< of that time, summed over threads
  double error = 0;                                        ///< of a step, |x - x~| / |x|, the worst along the plan
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< of the plan
  bool finished = false;
};

/// A box [lower, upper]^dim with the corners of cells of one spacing, all of them.
struct Box {
  int dim;
  double lower, upper, spacing;

  double points() const;  ///< (points on an axis)^dim
};

/// One task three ways: every corner of the box at the finest spacing, counted and its time extrapolated from an
/// evaluation's; on demand at that spacing alone; and on demand, from a coarser spacing to that.
struct Ablation {
  std::string task;
  Box box;
  std::string coarse_to_fine;  ///< the spacings in turn
  OnDemand one_level, interleaved;
  double most_of_box = 1;   ///< the share of the box that coarse to fine may visit; a binding check
  double agreement = 1e-4;  ///< relative, of the costs; infinity: they are not compared
};

/// Adds three rows and their checks.
void tell(Report& report, const Ablation& ablation);

void tell_arm(Report& report, bool quick);
void tell_stroke(Report& report, bool quick);
void tell_policy_ablation(Report& report, bool quick);
/// A swimmer of five hinges follows a long way through its joint angles.
void tell_long_path(Report& report, bool quick);

}  // namespace benchmarks
