// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/moving_obstacles/frame_rule.hpp"
#include "examples/studies/moving_obstacles/sphere_motion.hpp"
#include "examples/studies/moving_obstacles/sphere_scene.hpp"
#include "examples/studies/program/library.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace studies::spheres {

/// A rule and its name.
struct NamedRule {
  std::string name;
  FrameRuleOptions options;
};

/// The motions of the spheres in a comparison.
struct MotionSet {
  double amplitude = 0.2;  ///< m
  int count = 50;          ///< number of motions that do not cover the goal
  std::uint64_t first_seed = 1;
  int pieces = 4;
};

/// Costs of one method over all motions.
struct MethodCosts {
  std::string name;
  std::vector<PathCost> costs = {};  ///< of each motion; the motions are the same for all methods

  double mean() const;  ///< of totals
  double quantile(double part) const;
  double mean_of(double PathCost::*part) const;
  double collision_share() const;
};

/// All results at one amplitude.
struct SetResult {
  MotionSet set;
  int rejected = 0;  ///< motions also drawn, which cover the goal
  std::vector<MethodCosts> methods = {};

  const MethodCosts& of(const std::string& name) const;  ///< throws std::out_of_range
  double ratio(const std::string& name) const;           ///< of means, relative to re-planning
};

inline constexpr const char* replanning = "re-planning";
inline constexpr const char* blind = "the plan, blindly";

/// Draws motions in the order of their seeds, without those that cover the goal. Throws
/// std::runtime_error if nearly all do.
std::vector<SphereMotion> draw_motions(const SphereScene& scene, const MotionSet& set, int* rejected = nullptr);
SpheresAt spheres_of(SphereMotion motion);

/// Executes each rule, the plan blindly, and (with `replan`) AICO's plan with knowledge of each motion,
/// started from the old plan and from rest, whichever is cheaper. Motions are shared among threads; the result
/// does not depend on their number.
SetResult run_set(const PlannedScene& planned, const MotionSet& set, const std::vector<NamedRule>& rules, bool replan,
                  int threads);

/// The motions of several scenes as one set.
SetResult pooled(const std::vector<SetResult>& scenes);

/// Seconds for each frame of a rule on this thread, with everything: steps, distances, kinematics and least squares.
std::vector<double> frame_seconds(const PlannedScene& planned, const MotionSet& set, const FrameRuleOptions& options);

}  // namespace studies::spheres
