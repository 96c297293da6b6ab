// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/parts.hpp"
#include "examples/studies/fluidic_grab/points.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"
#include "examples/studies/fluidic_grab/static_reach.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/progress.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

namespace studies::grab {
namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;
using figures::format_number;

constexpr double close_enough = 1e-3;  // m: epsilon of Eq. 21

struct LimitSet {
  std::string name;
  fluidic_arm::ArmDescription arm;
  VectorXd limits;
  int levels;  // of the torques scanned
};

std::vector<LimitSet> limit_sets(double length, bool quick) {
  fluidic_arm::ArmDescription arm = table1_arm();
  for (fluidic_arm::Segment& segment : arm.segments) segment.length = length / 4;
  fluidic_arm::ArmDescription all_actuated = arm;
  all_actuated.passive_segments = 0;
  return {{"0.13, 0.13, 0.13, 0.13", all_actuated, Eigen::Vector4d::Constant(0.13), quick ? 7 : 11},
          {"0, 0.12, 0.13, 0.18", arm, torque_limits, quick ? 13 : 21}};
}

const RestingPose& nearest(const std::vector<RestingPose>& scan, const Vector2d& goal) {
  return *std::ranges::min_element(scan, {}, [&](const RestingPose& pose) { return (pose.tip - goal).squaredNorm(); });
}

VectorXd random_pose(std::mt19937& generator) {
  return VectorXd::NullaryExpr(4, [&] { return 2 * (2 * static_cast<double>(generator()) / 4294967296. - 1); });
}

/// The goals of a raster around the arm, and the poses of Eq. 21 that come closest to them.
struct Raster {
  std::vector<Vector2d> goals;
  std::vector<RestingPose> poses;
  double seconds = 0;

  bool reached(std::size_t i) const { return poses[i].distance <= close_enough; }
  long count(bool stable_only) const {
    long sum = 0;
    for (std::size_t i = 0; i < goals.size(); ++i) sum += reached(i) && (poses[i].stable || !stable_only) ? 1 : 0;
    return sum;
  }
};

/// Near the scanned tips the raster is fine, and each goal is searched for from the nearest scanned pose and
/// from the nearest solution so far. Elsewhere it is coarse, with a random start instead of the solution, since
/// a scan contains no unstable poses.
Raster raster_of(const StaticReach& reach, const std::vector<RestingPose>& scan, double fine, double coarse) {
  const studies::Stopwatch watch;
  Raster raster;
  std::mt19937 generator(5);
  const double length = reach.arm().length();
  const auto ask = [&](const Vector2d& goal, const RestingPose& scanned, bool close) {
    std::vector<VectorXd> starts{scanned.q};
    if (!close) starts.push_back(random_pose(generator));
    double least = 1e30;
    for (std::size_t k = 0; close && k < raster.goals.size(); ++k)
      if (raster.reached(k) && (raster.goals[k] - goal).norm() < least) {
        least = (raster.goals[k] - goal).norm();
        starts.resize(1);
        starts.push_back(raster.poses[k].q);
      }
    raster.goals.push_back(goal);
    raster.poses.push_back(reach.closest(goal, starts, close_enough));
  };
  for (const bool close : {true, false}) {
    const double spacing = close ? fine : coarse;
    const int last = static_cast<int>(length / spacing);
    for (int j = -last; j <= last; ++j)
      for (int i = -last; i <= last; ++i) {
        const Vector2d goal(i * spacing, j * spacing);
        const RestingPose& scanned = nearest(scan, goal);
        if (goal.norm() <= length && ((scanned.tip - goal).norm() <= 0.02) == close) ask(goal, scanned, close);
      }
  }
  raster.seconds = watch.seconds();
  return raster;
}

/// How many of the tried scanned tips Eq. 21 reaches from the hanging arm or a neighbour's pose.
struct Agreement {
  int tried = 0, agreed = 0;
};

Agreement scanned_tips_are_solutions(const StaticReach& reach, const std::vector<RestingPose>& scan,
                                     const Raster& raster) {
  Agreement found;
  for (std::size_t i = 0; i < scan.size(); i += std::max<std::size_t>(1, scan.size() / 100)) {
    std::vector<VectorXd> starts{VectorXd::Zero(4)};
    double least = 1e30;
    for (std::size_t k = 0; k < raster.goals.size(); ++k)
      if (raster.reached(k) && (raster.goals[k] - scan[i].tip).norm() < least) {
        least = (raster.goals[k] - scan[i].tip).norm();
        starts.resize(1);
        starts.push_back(raster.poses[k].q);
      }
    ++found.tried;
    found.agreed += reach.closest(scan[i].tip, starts, close_enough).distance <= close_enough ? 1 : 0;
  }
  return found;
}

/// How many of the tried stable solutions an arm comes to rest in when its torques rise slowly from zero.
Agreement solutions_are_equilibria(const StaticReach& reach, const Raster& raster) {
  Agreement found;
  for (std::size_t k = 0; k < raster.goals.size(); ++k) {
    const RestingPose& pose = raster.poses[k];
    if (!raster.reached(k) || !pose.stable) continue;
    VectorXd q = VectorXd::Zero(4);
    for (int rise = 1; rise <= 10; ++rise) q = find_equilibrium(reach.arm(), rise / 10. * pose.torques, q).q;
    ++found.tried;
    found.agreed += (reach.arm().tip(q) - raster.goals[k]).norm() <= 2 * close_enough ? 1 : 0;
  }
  return found;
}

void write_data(const std::vector<Raster>& rasters, const figures::OutputFolder& out) {
  figures::CsvWriter csv(out / "reach.csv", {"set", "x", "z", "stable", "theta1", "theta2", "theta3", "theta4"});
  for (std::size_t set = 0; set < rasters.size(); ++set)
    for (std::size_t i = 0; i < rasters[set].goals.size(); ++i)
      if (rasters[set].reached(i)) {
        const RestingPose& pose = rasters[set].poses[i];
        csv.row({static_cast<double>(set), rasters[set].goals[i].x(), rasters[set].goals[i].y(), pose.stable ? 1. : 0.,
                 pose.q[0], pose.q[1], pose.q[2], pose.q[3]});
      }
  csv.close();
  std::vector<Points> shown = {
      {.kind = "shape", .name = "hanging", .at = fluidic_arm::FluidicArm(table1_arm()).shape(VectorXd::Zero(4), 12)}};
  for (const Goal& goal : goals) shown.push_back({.kind = "goal", .name = std::string(1, goal.name), .at = goal.at});
  write_points(out / "reach.json", shown);
}

/// The pose of least distance to a goal.
RestingPose closest_of_all(const StaticReach& reach, const std::vector<RestingPose>& scan, const Vector2d& goal,
                           int random_starts) {
  std::mt19937 generator(11);
  std::vector<VectorXd> starts{nearest(scan, goal).q};
  for (int i = 0; i < random_starts; ++i) starts.push_back(random_pose(generator));
  return reach.closest(goal, starts, 0);
}

}  // namespace

void find_reachable(studies::Report& report, const ProgramOptions& options, const figures::OutputFolder& out) {
  const double fine = options.quick ? 0.02 : 0.01, coarse = options.quick ? 0.16 : 0.08;
  figures::JsonResults table, distances;
  std::vector<Raster> rasters;
  double seconds = 0, nearest_goal = 1e30, farthest_goal = 0;
  Agreement inverse, forward;
  for (const LimitSet& set : limit_sets(0.52, options.quick)) {
    const StaticReach reach(fluidic_arm::FluidicArm(set.arm), set.limits);
    const studies::Stopwatch watch;
    const std::vector<RestingPose> scan = reach.forward_image(set.levels);
    const double scan_seconds = watch.seconds();
    rasters.push_back(raster_of(reach, scan, fine, coarse));
    const Raster& raster = rasters.back();
    seconds = std::max(seconds, raster.seconds);
    const Agreement tips = scanned_tips_are_solutions(reach, scan, raster),
                    rests = solutions_are_equilibria(reach, raster);
    inverse = {inverse.tried + tips.tried, inverse.agreed + tips.agreed};
    forward = {forward.tried + rests.tried, forward.agreed + rests.agreed};
    const figures::ResultRow row = figures::ResultRow()
                                       .set("figure", "7")
                                       .set("limits", set.name)
                                       .set("spacing_cm", 100 * fine)
                                       .set("goals", std::ssize(raster.goals))
                                       .set("reached", raster.count(false))
                                       .set("stable", raster.count(true))
                                       .set("seconds", raster.seconds)
                                       .set("scanned", std::ssize(scan))
                                       .set("scan_seconds", scan_seconds)
                                       .set("tips_tried", tips.tried)
                                       .set("tips_agreed", tips.agreed)
                                       .set("rests_tried", rests.tried)
                                       .set("rests_agreed", rests.agreed);
    table.add(row);
  }
  for (const double length : {0.52, 0.515, 0.56, 0.61, 0.66}) {
    const LimitSet set = limit_sets(length, true)[1];
    const StaticReach reach(fluidic_arm::FluidicArm(set.arm), set.limits);
    const std::vector<RestingPose> scan = reach.forward_image(set.levels);
    figures::ResultRow row = figures::ResultRow().set("table", "goals outside").set("length", length);
    for (const Goal& goal : goals) {
      const RestingPose found = closest_of_all(reach, scan, goal.at, options.quick ? 3 : length == 0.52 ? 40 : 12);
      const std::string name(1, goal.name);
      row.set(name, 100 * found.distance).set(name + "_stable", found.stable);
      row.set(name + "_scan", 100 * (nearest(scan, goal.at).tip - goal.at).norm());
      nearest_goal = std::min(nearest_goal, found.distance);
      farthest_goal = std::max(farthest_goal, found.distance);
    }
    distances.add(row);
  }
  report.add_table(
      "## Where the tip can rest (Eq. 21, Fig. 7)\n\nGoals on a raster, fine within 2 cm of a scanned equilibrium, "
      "eight times as coarse elsewhere in the arm's circle; reached within 1 mm.",
      table,
      {{"limits", "limits [N m]"},
       {"spacing_cm", "spacing [cm]"},
       {"goals"},
       {"reached"},
       {"stable", "in a stable pose"},
       {"seconds", "seconds"},
       {"scanned", "equilibria scanned"},
       {"scan_seconds", "seconds"}});
  report.add_table(
      "The least distance of the tip from each goal of Table 2 over all poses at rest, |torques| <= 0, "
      "0.12, 0.13, 0.18 N m, cm, for total lengths of the arm; beside it the nearest scanned equilibrium:",
      distances,
      {{"length", "length [m]"},
       {"A"},
       {"A_scan", "scan"},
       {"B"},
       {"B_scan", "scan"},
       {"C"},
       {"C_scan", "scan"},
       {"D"},
       {"D_scan", "scan"}});
  report.checks.push_back({"No goal can be rested at: at least 5 cm outside for lengths of 51.5 to 66 cm (" +
                               format_number(100 * nearest_goal) + " to " + format_number(100 * farthest_goal) + " cm)",
                           nearest_goal >= 0.05 && farthest_goal < 1});
  report.checks.push_back({"Eq. 21 finds the tips of scanned equilibria again (" + to_text(inverse.agreed) + " of " +
                               to_text(inverse.tried) + ")",
                           inverse.tried > 0 && inverse.agreed >= 0.99 * inverse.tried});
  report.checks.push_back({"An arm whose torques rise slowly comes to rest in stable solutions of Eq. 21 (" +
                               to_text(forward.agreed) + " of " + to_text(forward.tried) + ")",
                           forward.tried > 0 && forward.agreed >= 0.95 * forward.tried});
  report.checks.push_back(
      {"A raster takes a few seconds (" + format_number(seconds) + " s at most)", seconds < 10, false});
  write_data(rasters, out);
  report.pictures += "- reach.svg: where the tip can rest (Fig. 7)\n";
}

}  // namespace studies::grab
