// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/moving_obstacles/program_options.hpp"
#include "examples/studies/moving_obstacles/sphere_study.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"

#include <string>
#include <vector>

namespace studies::spheres {

inline constexpr double checked_displacement = 0.3;  // m; the largest of the levels
inline constexpr double tuned_displacement = 0.2;    // m; of the motions on which settings are compared

inline constexpr const char* remapped = "remapping, mesh and contact";
inline constexpr const char* mesh_alone = "remapping, mesh alone";
inline constexpr const char* as_printed = "remapping, mesh as printed";
inline constexpr const char* plain_ik = "inverse kinematics";
inline constexpr const char* stiff_ik = "inverse kinematics, stiff and late";
inline constexpr const char* amending_ik = "inverse kinematics on the plan";

/// The rules compared at every displacement, tuned on other motions.
std::vector<NamedRule> compared_rules();

/// A rule with one number of its options varied.
struct SweepPoint {
  std::string family;
  double value = 0;   ///< of the varied option
  double margin = 0;  ///< of contact, for inverse kinematics
  std::string name;   ///< of the method in the result
};

struct Sweep {
  std::vector<SweepPoint> points = {};
  SetResult result = {};
};

/// Another number or pace of spheres.
struct Setting {
  int spheres = 3;
  int pieces = 4;
  SetResult result = {};
};

/// The cost of the whole motion with a push, with and without the plan's feedback gains; means.
struct PushResult {
  std::string name;
  double cost = 0;       ///< of the arm's own motion: the jump of the push is no control
  double tip_error = 0;  ///< m, at the end
  double share = 0;      ///< of motions in collision
};

struct FrameTime {
  std::string name;
  int iterations = 1;
  double median = 0, late = 0, worst = 0;  ///< s; late: 99 %
};

struct SphereResults {
  std::vector<PlannedScene> scenes = {};
  int passed_over = 0;                   ///< seeds that give no scene
  std::vector<SetResult> levels = {};    ///< of all scenes, by displacement
  std::vector<SetResult> by_scene = {};  ///< at the checked displacement
  Sweep strength = {}, gain = {};        ///< on other motions than the levels
  Sweep steps = {};                      ///< Gauss-Newton steps and choices of h
  std::vector<Setting> settings = {};
  std::vector<PushResult> pushes = {};
  std::vector<FrameTime> times = {};
};

SphereResults run_parts(const ProgramOptions& options);

studies::Report report_on(const SphereResults& results);
/// levels.csv: each method's cost and collisions by displacement; sweeps.json: costs by strength of C, and by gain and
/// reach of inverse kinematics.
void write_data(const SphereResults& results, const figures::OutputFolder& out);
/// Draws one motion and writes its frames; returns the list of the files.
std::string draw_scenes(const SphereResults& results, const figures::OutputFolder& out);

}  // namespace studies::spheres
