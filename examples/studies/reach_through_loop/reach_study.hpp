// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/moving_box.hpp"
#include "examples/studies/reach_through_loop/sweep.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace studies::loop {

struct StudyChoice {
  int poses = 50;          ///< number of poses of the box that results are reported for
  int tuning_poses = 20;   ///< other poses, on which settings are chosen
  std::uint64_t seed = 1;  ///< of the poses; the tuning ones and the motions have seeds of their own
  int every = 1;           ///< every n-th setting of a sweep is tried
  int threads = 2;
};

/// A side with its best setting on the tuning poses.
struct ChosenSide {
  Score tuned, tested;
  std::vector<Trial> trials;  ///< on the reported poses
  double milliseconds = 0;    ///< of planning for one of these, alone on one thread: median
};

struct StudyResults {
  ReachScene scene = {};
  DrawnBoxes tuning, poses;
  std::vector<Score> scores;        ///< of all settings of all sides on the tuning poses
  std::vector<ChosenSide> chosen;   ///< in the order of all_sides
  std::vector<ChaseScore> metrics;  ///< on the tuning poses
  /// On the reported poses, by amplitude, then as all_followers, each with its best metric.
  std::vector<ChaseScore> chases;

  const ChosenSide& of(Side side) const { return chosen[static_cast<std::size_t>(side)]; }
  const ChaseScore& of(Follower follower, double amplitude) const;
};

inline constexpr double amplitudes[] = {0.05, 0.1, 0.15, 0.2};  // m
inline constexpr double largest_amplitude = std::ranges::max(amplitudes);
inline constexpr int tuning_motions = 3, motions = 2;  ///< of each box; tuning uses the largest amplitude
inline constexpr std::uint64_t motion_seed = 900;

StudyResults run_study(const StudyChoice& choice);

}  // namespace studies::loop
