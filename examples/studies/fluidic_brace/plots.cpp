// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/fluidic_brace/brace_report.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace studies::brace {
namespace {

using Eigen::Index;
using Eigen::Matrix2Xd;
using Eigen::VectorXd;
using fluidic_arm::FluidicArm;
namespace palette = figures::palette;

Matrix2Xd circle(const Eigen::Vector2d& center, double radius) {
  const Eigen::ArrayXd angle = Eigen::ArrayXd::LinSpaced(60, 0, 2 * std::acos(-1.));
  Matrix2Xd points(2, angle.size());
  points << (center.x() + radius * angle.cos()).transpose().matrix(),
      (center.y() + radius * angle.sin()).transpose().matrix();
  return points;
}

Index frame_at(const Motion& motion, double time) {
  const auto found = std::ranges::lower_bound(motion.times, time - 1e-9);
  return std::min<Index>(found - motion.times.begin(), std::ssize(motion.times) - 1);
}

/// Draws the arm at regular intervals, later shapes darker.
void add_shapes(figures::SvgPanel& panel, const FluidicArm& arm, const Motion& motion, double from, double to,
                double interval) {
  const int count = static_cast<int>(std::lround((to - from) / interval));
  for (int i = 0; i <= count; ++i) {
    const VectorXd q = motion.states.col(frame_at(motion, from + i * interval)).head(arm.coordinates());
    panel.line(arm.shape(q, 12), {.color = palette::blue, .width = 2, .opacity = 0.25 + 0.75 * i / count});
    if (i < count) continue;
    Matrix2Xd ends;
    arm.end_points(q, ends);
    panel.markers(ends.row(0), ends.row(1), {.color = palette::blue, .marker_size = 5});
  }
}

struct Stage {
  std::string title;
  const Motion* motion;
  double from, to, interval;
  bool ball;
};

void draw_stages(const BraceResults& results, const figures::OutputFolder& out) {
  const MotionOptions& options = results.choice.motion;
  const SceneSearch& search = results.searches.front();
  const FluidicArm& arm = search.free_pose.arm();
  const double rotation = search.brace().pose.rotation(search.brace().found.z);
  const auto in_plane = [&](const Eigen::Vector3d& p) {
    return Eigen::Vector2d(p.x() * std::cos(rotation) + p.y() * std::sin(rotation), p.z());
  };
  const Eigen::Vector2d goal = in_plane(search.scene.goal), ball = in_plane(search.scene.ball);
  const PlantRuns& exact = results.known.front();
  const Motion& braced = exact.planned.contact.motion;
  figures::SvgPlot plot({.panel_width = 360, .panel_height = 420});
  for (const Stage& stage :
       {Stage{"into contact, every second", &braced, 0, options.distal_start, 1, true},
        Stage{"to the goal, every half second", &braced, options.distal_start, options.distal_start + 2, 0.5, true},
        Stage{"without a brace, every half second", &exact.planned.free, 0, 4, 0.5, false}}) {
    figures::SvgPanel& panel = plot.panel({.title = stage.title,
                                           .x_label = "x [m]",
                                           .y_label = "z [m]",
                                           .x_range = {{-0.14, 0.34}},
                                           .y_range = {{-0.52, 0.02}},
                                           .equal_aspect = true,
                                           .legend = figures::Legend::none});
    if (stage.ball) panel.polygon(circle(ball, search.scene.ball_radius), {.color = palette::black, .width = 1.5});
    if (stage.ball)  // the neutral axis of an arm that touches
      panel.line(circle(ball, search.scene.brace_distance()), {.color = palette::grey, .width = 1, .dash = "3 3"});
    add_shapes(panel, arm, *stage.motion, stage.from, stage.to, stage.interval);
    panel.markers({goal.x()}, {goal.y()},
                  {.color = palette::vermilion, .marker = figures::Marker::ring, .marker_size = 11});
  }
  plot.write(out / "stages.svg");
}

/// For each random plant a quantity with a brace above the same without, for both servos in panels of one scale.
template <class Quantity>
void add_scatter(figures::SvgPlot& plot, const BraceResults& results, const std::string& words,
                 const Quantity& quantity) {
  double most = 0;
  for (const PlantRuns& run : results.random)
    for (const ServoRuns* runs : {&run.planned, &run.alone})
      most = std::max({most, quantity(runs->free), quantity(runs->contact.motion), quantity(runs->damping.motion)});
  const std::pair<double, double> range(-0.03 * most, 1.05 * most);
  for (const auto& [title, servo] :
       {std::pair{"servo with the plan's torques", &PlantRuns::planned}, std::pair{"servo alone", &PlantRuns::alone}}) {
    figures::SvgPanel& panel = plot.panel({.title = title,
                                           .x_label = words + ", without a brace",
                                           .y_label = words + ", with a brace",
                                           .x_range = range,
                                           .y_range = range});
    std::vector<double> without, contact, damping;
    for (const PlantRuns& run : results.random) {
      without.push_back(quantity((run.*servo).free));
      contact.push_back(quantity((run.*servo).contact.motion));
      damping.push_back(quantity((run.*servo).damping.motion));
    }
    panel.line({0, most}, {0, most}, {.color = palette::grey, .label = "no difference", .width = 1, .dash = "4 3"});
    panel.markers(without, damping,
                  {.color = palette::blue, .label = "by raised damping", .opacity = 0.7, .marker_size = 6});
    panel.markers(without, contact,
                  {.color = palette::vermilion, .label = "by contact", .opacity = 0.7, .marker_size = 6});
  }
}

void draw_plants(const BraceResults& results, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.columns = 2, .panel_width = 420, .panel_height = 340});
  add_scatter(plot, results, "tip's error [cm]", [](const Motion& motion) { return 100 * motion.tip_error; });
  add_scatter(plot, results, "spent in 9 s [(N m)\u00b2 s]", [](const Motion& motion) { return motion.spent; });
  plot.write(out / "plants.svg");
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

std::string draw(const BraceResults& results, const figures::OutputFolder& out) {
  draw_stages(results, out);
  draw_plants(results, out);
  const FluidicArm& arm = results.searches.front().free_pose.arm();
  const ServoRuns& exact = results.known.front().planned;
  write_motion(out, "free.csv", arm, exact.free);
  write_motion(out, "contact.csv", arm, exact.contact.motion);
  write_motion(out, "damping.csv", arm, exact.damping.motion);
  return "  stages.svg                 Fig. 15: into contact, to the goal, and without a brace\n"
         "  plants.svg                 error and effort on random plants, with a brace against without\n"
         "  free.csv, contact.csv, damping.csv    motions of the model itself: angles, torques, tip\n";
}

}  // namespace studies::brace
