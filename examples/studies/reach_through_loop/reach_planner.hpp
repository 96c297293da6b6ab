// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/reach_through_loop/reach_scene.hpp"
#include "quoin/robots/planning/aico/aico.hpp"

#include <Eigen/Core>

#include <string>

namespace studies::loop {

/// The tasks of a plan besides the goal of its tip, rest in the end and the limits of the joints.
enum class Side {
  topology,       ///< writhe and interaction mesh of rod and rim, as on the way into the box; no collision check
  topology_line,  ///< the same, with only the end known: straight lines in writhe and mesh from the start
  collision,      ///< margins to the walls and between links: the paper's comparison
  collision_way,  ///< that, and points of the rod on the way into the box: it has the same knowledge as `topology`
  way,            ///< points of the rod on the way into the box, no collision check: the effect of the way alone
  way_line        ///< the same, with only the end known: straight lines in space
};

inline constexpr Side all_sides[] = {Side::topology,      Side::topology_line, Side::collision,
                                     Side::collision_way, Side::way,           Side::way_line};
const char* to_string(Side side);

/// The options swept. Precisions rho of 1/2 rho |e|^2; a side uses those of its tasks.
struct Setting {
  double position = 1e4;       ///< of the tip in the end, m^-2
  double mesh = 100;           ///< at all times, m^-2
  double writhe = 100;         ///< at all times
  double margins = 1e3;        ///< at all times, m^-2
  double margin = 0.03;        ///< m
  double way = 1e3;            ///< of points on the rod, at all times, m^-2
  double tolerance = 1e-3;     ///< relative tolerance of AICO
  double damping = 1e-2;       ///< of AICO, at the start
  bool from_end_state = true;  ///< begin with a path to the posterior of the end state instead of at rest
};

std::string describe(Side side, const Setting& setting);

struct Plan {
  planning::AicoResult result;
  int end_iterations = 0;  ///< for the end state, one evaluation of the task each
  long long checks = 0;    ///< of configurations for collision, in all of planning

  Eigen::MatrixXd path() const { return result.states.topRows(result.states.rows() / 2); }
};

/// The outcome of a plan, by checks independent of the planner's.
struct Verdict {
  double miss = 0;           ///< m, of the tip at the end
  int crossings = 0;         ///< of the rim's surface by the arm at the end
  double clearance = 0;      ///< m, least on the path, 20 samples per step
  double limits_passed = 0;  ///< rad

  bool there() const { return miss < 0.02; }
  bool linked() const { return crossings == 1; }
  bool free() const { return clearance > 0; }
  bool success() const { return there() && linked() && free() && limits_passed < 0.02; }
};

inline constexpr int horizon = 50;
inline constexpr double time_step = 0.1;     // s
inline constexpr double control_cost = 0.1;  // s^4

/// Plans by AICO, x = (q, qd).
Plan plan_reach(const ReachScene& scene, const HollowBox& box, Side side, const Setting& setting);

Verdict judge(const ReachScene& scene, const HollowBox& box, const Eigen::MatrixXd& path);

}  // namespace studies::loop
