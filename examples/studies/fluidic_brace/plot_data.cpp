// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace studies::brace {
namespace {

using Eigen::Index;
using Eigen::Matrix2Xd;
using Eigen::VectorXd;
using figures::ResultRow;
using fluidic_arm::FluidicArm;

Index frame_at(const Motion& motion, double time) {
  const auto found = std::ranges::lower_bound(motion.times, time - 1e-9);
  return std::min<Index>(found - motion.times.begin(), std::ssize(motion.times) - 1);
}

std::vector<double> numbers(const Eigen::RowVectorXd& row) { return {row.begin(), row.end()}; }

struct Stage {
  std::string title;
  const Motion* motion;
  double from, to, interval;
  bool ball;
};

/// Adds the arm at regular intervals, with the ends of its segments.
void add_shapes(figures::JsonResults& rows, const FluidicArm& arm, const Stage& stage) {
  const int count = static_cast<int>(std::lround((stage.to - stage.from) / stage.interval));
  for (int i = 0; i <= count; ++i) {
    const double time = stage.from + i * stage.interval;
    const VectorXd q = stage.motion->states.col(frame_at(*stage.motion, time)).head(arm.coordinates());
    const Matrix2Xd shape = arm.shape(q, 12);
    Matrix2Xd ends;
    arm.end_points(q, ends);
    rows.add(ResultRow()
                 .set("stage", stage.title)
                 .set("time", time)
                 .set("with_ball", stage.ball)
                 .set("x", numbers(shape.row(0)))
                 .set("z", numbers(shape.row(1)))
                 .set("ends_x", numbers(ends.row(0)))
                 .set("ends_z", numbers(ends.row(1))));
  }
}

/// stages.json and scene.json, in the plane of the arm.
void write_stages(const BraceResults& results, const figures::OutputFolder& out) {
  const MotionOptions& options = results.choice.motion;
  const SceneSearch& search = results.searches.front();
  const FluidicArm& arm = search.free_pose.arm();
  const double rotation = search.brace().pose.rotation(search.brace().found.z);
  const auto in_plane = [&](const Eigen::Vector3d& p) {
    return std::vector<double>{p.x() * std::cos(rotation) + p.y() * std::sin(rotation), p.z()};
  };
  const ResultRow scene = ResultRow()
                              .set("goal", in_plane(search.scene.goal))
                              .set("ball", in_plane(search.scene.ball))
                              .set("ball_radius", search.scene.ball_radius)
                              .set("brace_distance", search.scene.brace_distance());
  figures::JsonResults({scene}).write(out / "scene.json");

  const PlantRuns& exact = results.known.front();
  const Motion& braced = exact.planned.contact.motion;
  figures::JsonResults rows;
  for (const Stage& stage :
       {Stage{"into contact, every second", &braced, 0, options.distal_start, 1, true},
        Stage{"to the goal, every half second", &braced, options.distal_start, options.distal_start + 2, 0.5, true},
        Stage{"without a brace, every half second", &exact.planned.free, 0, 4, 0.5, false}})
    add_shapes(rows, arm, stage);
  rows.write(out / "stages.json");
}

/// For each random plant and both servos: the tip's error, cm, and what is spent, without and with a brace.
void write_plants(const BraceResults& results, const figures::OutputFolder& out) {
  std::vector<std::string> header;
  for (const char* servo : {"planned", "alone"})
    for (const char* what : {"error", "spent"})
      for (const char* brace : {"free", "contact", "damping"})
        header.push_back(std::string(servo) + "_" + what + "_" + brace);
  figures::CsvWriter csv(out / "plants.csv", header);
  for (const PlantRuns& run : results.random) {
    std::vector<double> row;
    for (const ServoRuns* runs : {&run.planned, &run.alone}) {
      const Motion* const motions[] = {&runs->free, &runs->contact.motion, &runs->damping.motion};
      for (const Motion* motion : motions) row.push_back(100 * motion->tip_error);
      for (const Motion* motion : motions) row.push_back(motion->spent);
    }
    csv.row(row);
  }
  csv.close();
}

void write_motion(const figures::OutputFolder& out, const std::string& name, const FluidicArm& arm,
                  const Motion& motion) {
  std::vector<std::string> header = {"time"};
  for (const char* what : {"angle_", "torque_"})
    for (Index i = 1; i <= arm.coordinates(); ++i) header.push_back(what + to_text(i));
  header.insert(header.end(), {"tip_x", "tip_z"});
  figures::CsvWriter csv(out / name, header);
  VectorXd row(static_cast<Index>(header.size()));
  for (Index i = 0; i < std::ssize(motion.times); ++i) {
    const VectorXd q = motion.states.col(i).head(arm.coordinates());
    row << motion.times[static_cast<std::size_t>(i)], q, motion.torques.col(i), arm.tip(q);
    csv.row(row);
  }
  csv.close();
}

}  // namespace

std::string write_data(const BraceResults& results, const figures::OutputFolder& out) {
  write_stages(results, out);
  write_plants(results, out);
  const FluidicArm& arm = results.searches.front().free_pose.arm();
  const ServoRuns& exact = results.known.front().planned;
  write_motion(out, "free.csv", arm, exact.free);
  write_motion(out, "contact.csv", arm, exact.contact.motion);
  write_motion(out, "damping.csv", arm, exact.damping.motion);
  return "  free.csv, contact.csv, damping.csv    motions of the model itself: angles, torques, tip\n"
         "  plants.csv, *.json                    what the pictures show\n";
}

}  // namespace studies::brace
