// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/unwrap/inference.hpp"
#include "examples/studies/unwrap/inverse_kinematics.hpp"
#include "examples/studies/unwrap/random_trees.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace studies::unwrap {

struct StudyChoice {
  std::vector<double> windings = {0.5, 1, 1.5, 2, 2.5};  ///< turns
  int scenes = 20;                                       ///< for each winding
  std::uint64_t seed = 11001;                            ///< of the first scene; the others follow
  int variant_scenes = 10;                               ///< for each winding, on which AICO is run with parts left out
  int sweep_scenes = 12;                                 ///< for each winding, on which precisions are compared
  std::uint64_t sweep_seed = 1;                          ///< settings were chosen on seeds 1 to 12
  std::vector<double> precisions = {0.1, 1, 10, 100, 1e3};  ///< rho of the writhe, to compare
  InferenceOptions inference = {};
  InverseKinematicsOptions inverse_kinematics = {};
  TreeOptions trees = {};
};

/// One planner in one scene.
struct Trial {
  std::string planner = {};
  double winding = 0;
  std::uint64_t seed = 0;
  double blocked = 0;  ///< share of the straight line in joint space from start to end state that collides
  bool success = false;
  long long checks = 0;
  int iterations = 0;  ///< of AICO
  double seconds = 0;
  double cost = 0;       ///< 1/2 sum u^T H u, over 5 s
  double clearance = 0;  ///< m, between the path's points too
  double offset = 0;     ///< m, at the end: of palm or a tip, whichever is further off
};

/// One scene's plan, for pictures.
struct Shown {
  Scene scene;
  InferredPlan plan;
};

/// Planners at one precision of the writhe, on the scenes on which settings are chosen.
struct SweptPrecision {
  double precision;
  std::vector<Trial> trials;
};

struct StudyResults {
  std::vector<Trial> trials;
  std::vector<SweptPrecision> sweep;
  int impossible_ends = 0;     ///< scenes whose end state collides or is beyond a limit: no tree is sent there
  std::optional<Shown> shown;  ///< the first scene of the last winding
};

/// The planners' names in trials.
namespace planner {
inline constexpr const char* aico = "hierarchical AICO";
inline constexpr const char* first_path = "its first path alone, without AICO";
inline constexpr const char* inverse_kinematics = "inverse kinematics";
inline constexpr const char* rrt = "RRT";
inline constexpr const char* connect = "RRT-Connect";
inline constexpr const char* shortened = "RRT-Connect, simplified";
inline constexpr const char* line = "its first path a straight line";
inline constexpr const char* as_wound = "its end state sought from the wound pose";
inline constexpr const char* no_level = "without writhe, but for the first path";
inline constexpr const char* no_writhe_rest = "without writhe, from rest";
}  // namespace planner

/// AICO with a part changed or left out.
struct Variant {
  const char* name;
  void (*change)(InferenceOptions&);
};
inline constexpr Variant variants[] = {
    {planner::line, [](InferenceOptions& o) { o.first_path = FirstPath::line; }},
    {"in one stage", [](InferenceOptions& o) { o.two_stages = false; }},
    {"without relinearization in slices", [](InferenceOptions& o) { o.aico.relinearizations = 0; }},
    {planner::as_wound, [](InferenceOptions& o) { o.end_start = EndStart::as_wound; }},
    {planner::no_level, [](InferenceOptions& o) { o.writhe = 0; }},
    {"without writhe, first path a straight line",
     [](InferenceOptions& o) {
       o.writhe = 0;
       o.first_path = FirstPath::line;
     }},
    {planner::no_writhe_rest, [](InferenceOptions& o) {
       o.writhe = 0;
       o.first_path = FirstPath::at_rest;
     }}};

/// A plan succeeds if it ends within 1 cm with wrist, palm and tips, keeps all limits and never collides, verified by a
/// checker of its own in steps of 0.01 rad (Euclidean). Trees get the end state's pose and need not plan it.
StudyResults run_study(const StudyChoice& choice, const std::function<void(const Trial&)>& on_trial);

}  // namespace studies::unwrap
