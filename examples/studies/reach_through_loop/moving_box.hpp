// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/rate.hpp"
#include "examples/studies/reach_through_loop/reach_planner.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace studies::loop {

/// How far a box moves: at most, while the motion lasts.
struct MotionSize {
  double amplitude = 0;  ///< m, away from its place
  double turn = 0;       ///< rad, away from its direction
  bool operator==(const MotionSize&) const = default;
};

/// Three numbers over time that begin at rest at 0: two sines each, with periods from 4 to 10 s, scaled so that the
/// vector is `largest` long at most.
class Sway {
 public:
  Sway(double largest, double seconds, std::uint64_t seed);
  Eigen::Vector3d at(double seconds) const;

 private:
  Eigen::Vector3d unscaled(double seconds) const;
  Eigen::Matrix<double, 3, 2> forth_, rate_;
  double scale_ = 1;
};

/// The motion of a box, which moves and turns about the middle of its mouth.
class BoxMotion {
 public:
  BoxMotion(const MotionSize& size, double seconds, std::uint64_t seed)
      : offset_(size.amplitude, seconds, seed), turn_(size.turn, seconds, ~seed) {}
  HollowBox of(const HollowBox& box, double seconds) const { return box.moved(offset_.at(seconds), turn_.at(seconds)); }

 private:
  Sway offset_, turn_;
};

/// The arm's reaction, frame by frame, from the plan and the present position of the box.
enum class Follower {
  none,          ///< the plan
  tip,           ///< remaps the tip's position relative to the box: inverse kinematics
  topology,      ///< remaps writhe and interaction mesh
  topology_tip,  ///< remaps all three as they are in the plan
};
inline constexpr Follower all_followers[] = {Follower::none, Follower::tip, Follower::topology, Follower::topology_tip};
const char* to_string(Follower follower);

inline constexpr int frames_per_step = 5;  ///< a frame is 20 ms
inline constexpr double frame_time = time_step / frames_per_step;
inline constexpr int frames = 2 * horizon * frames_per_step;  ///< the plan, then as long again in the box

struct Chase {
  Eigen::MatrixXd path;                ///< 7 x (frames + 1)
  std::vector<double> tip_error = {};  ///< m, distance to the moving goal, at each frame once the plan has ended
  bool linked = false;                 ///< in all these frames
  double clearance = 0;                ///< m, least, of path and box interpolated
  double evaluations = 0;              ///< of phi in a frame, mean
  double fastest = 0;                  ///< rad/s, largest of any joint

  bool success() const { return linked && clearance > 0 && tip_error.back() < 0.02; }
};

/// `metric` is C of Eq. 14 for the mesh, m^-2; a tenth of it is used for the writhe, ten times as
/// much for the tip's position.
Chase chase(const ReachScene& scene, const HollowBox& box, const Plan& plan, const BoxMotion& motion, Follower follower,
            double metric);

/// Seconds to compute each frame of such a motion.
std::vector<double> frame_seconds(const ReachScene& scene, const HollowBox& box, const Plan& plan,
                                  const BoxMotion& motion, Follower follower, double metric);

inline constexpr int timed_motions = 10;  ///< the first ones, run again one after another on the calling thread

/// The results of a follower on many boxes, each with its own motion.
struct ChaseScore {
  Follower follower = Follower::none;
  MotionSize size = {};
  double metric = 0;
  int motions = 0, successes = 0, free = 0, linked = 0, there = 0;
  double tip_error = 0;                 ///< m: mean over time, median over motions
  double evaluations = 0, fastest = 0;  ///< medians
  double frame_us = 0;                  ///< median over all frames of `timed_motions`

  studies::Rate success() const { return {.successes = successes, .draws = motions}; }
};

ChaseScore chase_boxes(const ReachScene& scene, const std::vector<HollowBox>& boxes, const std::vector<Plan>& plans,
                       Follower follower, double metric, const MotionSize& size, std::uint64_t seed, int threads);

}  // namespace studies::loop
