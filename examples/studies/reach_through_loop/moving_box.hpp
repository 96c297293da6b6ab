// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/reach_planner.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace studies::loop {

/// How a box moves without turning: two sines to each axis, of periods from 4 to 10 s, from rest in its place, at most
/// `amplitude` away from it while the motion lasts.
class BoxMotion {
 public:
  BoxMotion(double amplitude, double seconds, std::uint64_t seed);
  Eigen::Vector3d offset(double seconds) const;

 private:
  Eigen::Vector3d unscaled(double seconds) const;
  Eigen::Matrix<double, 3, 2> forth_, rate_;
  double scale_ = 1;
};

/// What the arm does about it, frame by frame, knowing the plan and where the box is now.
enum class Follower {
  none,          ///< the plan
  tip,           ///< remaps the tip's place relative to the box: inverse kinematics
  topology,      ///< remaps writhe and interaction mesh
  topology_tip,  ///< remaps all three, as the plan had them
};
inline constexpr Follower all_followers[] = {Follower::none, Follower::tip, Follower::topology, Follower::topology_tip};
const char* to_string(Follower follower);

inline constexpr int frames_per_step = 5;  ///< a frame is 20 ms
inline constexpr double frame_time = time_step / frames_per_step;
inline constexpr int frames = 2 * horizon * frames_per_step;  ///< the plan, then as long again in the box

struct Chase {
  Eigen::MatrixXd path;                ///< 7 x (frames + 1)
  std::vector<double> tip_error = {};  ///< m, at each frame once the plan has ended, to the goal that moves
  bool linked = false;                 ///< in all of them
  double clearance = 0;                ///< m, least, of path and box interpolated
  double evaluations = 0;              ///< mean, of phi in a frame
  double fastest = 0;                  ///< rad/s of a joint, at the most

  bool success() const { return linked && clearance > 0 && tip_error.back() < 0.02; }
};

/// `metric` is C of Eq. 14 for the mesh, m^-2; the writhe has a tenth of it, the place of the tip ten times as much.
Chase chase(const ReachScene& scene, const HollowBox& box, const Plan& plan, const BoxMotion& motion, Follower follower,
            double metric);

/// Seconds that each frame of such a motion takes to compute.
std::vector<double> frame_seconds(const ReachScene& scene, const HollowBox& box, const Plan& plan,
                                  const BoxMotion& motion, Follower follower, double metric);

inline constexpr int timed_motions = 10;  ///< the first ones, again, one after another on the calling thread

/// A follower on many boxes, each with its own motion.
struct ChaseScore {
  Follower follower = Follower::none;
  double amplitude = 0, metric = 0;
  int motions = 0, successes = 0, free = 0, linked = 0, there = 0;
  double tip_error = 0;                 ///< m: mean over time, median over motions
  double evaluations = 0, fastest = 0;  ///< medians
  double frame_us = 0;                  ///< median over all frames of `timed_motions`
};

ChaseScore chase_boxes(const ReachScene& scene, const std::vector<HollowBox>& boxes, const std::vector<Plan>& plans,
                       Follower follower, double metric, double amplitude, std::uint64_t seed, int threads);

}  // namespace studies::loop
