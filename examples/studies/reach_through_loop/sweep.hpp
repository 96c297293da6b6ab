// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/rate.hpp"
#include "examples/studies/reach_through_loop/reach_planner.hpp"

#include <vector>

namespace studies::loop {

/// The settings tried for a side, 72 for each: three precisions, two of a second number, three
/// tolerances, two dampings, two starts.
std::vector<Setting> settings_of(Side side);

/// The results of one setting over many boxes.
struct Score {
  Side side = Side::topology;
  Setting setting = {};
  int boxes = 0;
  int successes = 0;
  int there = 0, linked = 0, free = 0, within_limits = 0, converged = 0;
  double median_iterations = 0, mean_iterations = 0;
  int most_iterations = 0;
  double end_iterations = 0;  ///< mean
  double checks = 0;          ///< mean

  studies::Rate success() const { return {.successes = successes, .draws = boxes}; }
};

struct Trial {
  Plan plan;
  Verdict verdict;
};

/// Plans for all boxes with one setting, on `threads` threads.
std::vector<Trial> try_boxes(const ReachScene& scene, const std::vector<HollowBox>& boxes, Side side,
                             const Setting& setting, int threads);

/// Planning time, median over boxes, one after another on the calling thread.
double planning_milliseconds(const ReachScene& scene, const std::vector<HollowBox>& boxes, Side side,
                             const Setting& setting);

Score score_of(Side side, const Setting& setting, const std::vector<Trial>& trials);

/// The scores of all settings of all sides.
std::vector<Score> sweep(const ReachScene& scene, const std::vector<HollowBox>& boxes, int threads, int every = 1);

/// The one of a side's scores with the most successes; among several, that of fewest iterations in
/// the median, then in the mean.
const Score& best(const std::vector<Score>& scores, Side side);

}  // namespace studies::loop
