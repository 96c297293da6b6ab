// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/moving_box.hpp"
#include "examples/studies/reach_through_loop/sweep.hpp"

#include <cstdint>
#include <vector>

namespace studies::loop {

struct StudyChoice {
  std::vector<double> mouths = {0.34, 0.22, 0.16};  ///< sides of the box's mouth, m; it moves with the first
  int poses = 100;                                  ///< of the box at each mouth, that results are reported for
  int tuning_poses = 20;                            ///< other poses, on which settings are chosen
  int motions = 60;                                 ///< of the box, at most one to a pose
  std::uint64_t seed = 10001;                       ///< of the poses and motions
  std::uint64_t tuning_seed = 1001;                 ///< of the others
  int every = 5;                                    ///< every n-th setting of a sweep is tried
  int threads = 2;
};

/// A side with its best setting on the tuning poses.
struct ChosenSide {
  Score tuned, tested;
  std::vector<Trial> trials;  ///< on the reported poses
  double milliseconds = 0;    ///< of planning for one of these, alone on one thread: median
};

/// All sides with boxes of one mouth.
struct MouthResults {
  double side = 0;  ///< m
  DrawnBoxes tuning, poses;
  std::vector<Score> scores = {};       ///< of all settings of all sides on the tuning poses
  std::vector<ChosenSide> chosen = {};  ///< in the order of all_sides

  const ChosenSide& of(Side side_of_plan) const { return chosen[static_cast<std::size_t>(side_of_plan)]; }
};

struct StudyResults {
  ReachScene scene = {};
  std::vector<MouthResults> mouths;
  std::vector<ChaseScore> metrics;  ///< on the tuning poses of the first mouth
  /// On its reported poses, by size, then as all_followers, each with its best metric.
  std::vector<ChaseScore> chases;

  const MouthResults& first() const { return mouths.front(); }
  const ChaseScore& of(Follower follower, const MotionSize& size) const;
};

inline constexpr MotionSize sizes[] = {{0.05, 0},  {0.1, 0},   {0.15, 0}, {0.2, 0},
                                       {0.1, 0.2}, {0.1, 0.4}, {0.1, 0.6}};  // m, rad
inline constexpr MotionSize farthest = {0.2, 0}, most_turned = {0.1, 0.6};
inline constexpr int tuning_motions = 2;  ///< of each box
/// Boxes and motions of a seed draw from streams of their own.
inline constexpr std::uint64_t motion_seed_offset = 1000000;

StudyResults run_study(const StudyChoice& choice);

}  // namespace studies::loop
