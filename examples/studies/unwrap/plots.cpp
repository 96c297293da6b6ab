// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/arm_pictures.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/unwrap/report.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace studies::unwrap {
namespace {

using figures::SvgPanel;
using figures::SvgPlot;
namespace palette = figures::palette;

const Eigen::Vector3d viewer(0.35, -1, 0.55);

Eigen::Matrix3Xd points_at(const rigid_body::TreePoints& points, const Eigen::VectorXd& q) {
  Eigen::Matrix3Xd places;
  points.evaluate(q, places);
  return places;
}

/// White for 0, blue for negative, red for positive, full at `most`.
std::string shade(double value, double most) {
  const double s = std::clamp(value / most, -1.0, 1.0);
  const auto channel = [](double from, double part) {
    return static_cast<int>(std::lround(255 + part * (from - 255)));
  };
  const std::array<double, 3> full = s > 0 ? std::array<double, 3>{178, 24, 43} : std::array<double, 3>{33, 102, 172};
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", channel(full[0], std::abs(s)), channel(full[1], std::abs(s)),
                channel(full[2], std::abs(s)));
  return text.data();
}

/// Draws a matrix as cells, its columns along x; runs of nearly equal cells of a row become one.
void draw_matrix(SvgPanel& panel, const Eigen::MatrixXd& values, double most) {
  for (const double part : {1.0, 0.5, 0.0})  // under the cells, for the legend
    panel.rectangle(0.5, 1, 1, 1.5,
                    {.color = palette::light,
                     .fill = shade(part * most, most),
                     .label = figures::format_number(part * most, 2) + " turns",
                     .width = 1,
                     .fill_opacity = 1});
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index j = 0; j < values.cols();) {
      const std::string color = shade(values(i, j), most);
      Eigen::Index end = j + 1;
      while (end < values.cols() && shade(values(i, end), most) == color) ++end;
      const double y = static_cast<double>(i) + 0.5;
      panel.rectangle(static_cast<double>(j) + 0.5, y, static_cast<double>(end) + 0.5, y + 1,
                      {.fill = color, .width = 0, .fill_opacity = 1});
      j = end;
    }
}

void draw_poses(const Shown& shown, const figures::OutputFolder& out) {
  SvgPlot plot({.title = "The arm, wound and unwound, and its writhe (Fig. 5)", .columns = 2, .panel_width = 520});
  const Scene& scene = shown.scene;
  const std::array<Eigen::VectorXd, 2> poses{shown.plan.q.col(0), shown.plan.q.rightCols(1)};
  for (const Eigen::VectorXd& q : poses) {
    figures::SurfaceScene view = studies::shaded_scene(viewer);
    studies::add_obstacles(view, {scene.obstacles[0]}, 0.05);
    studies::add_obstacles(view, {scene.obstacles[1]}, 0.9);
    studies::add_arm(view, scene.arm, points_at(scene.arm.points(), q), -0.7);
    plot.panel({.axes = false}).scene(view);
  }
  for (const Eigen::VectorXd& q : poses) {
    const Eigen::MatrixXd W = topology::writhe_matrix(points_at(scene.arm.chain_points(), q), scene.pole);
    SvgPanel& panel = plot.panel({.title = "writhe " + figures::format_number(W.sum()) + " turns",
                                  .x_label = "piece of the pole, from below",
                                  .y_label = "segment of the arm",
                                  .legend = figures::Legend::outside});
    draw_matrix(panel, W, 0.05);
  }
  plot.write(out / "unwrap_poses.svg");
}

void draw_writhe(const Shown& shown, const figures::OutputFolder& out) {
  const Scene& scene = shown.scene;
  const auto chain = scene.arm.chain_points();
  Eigen::MatrixXd planned(rope_segments, shown.plan.q.cols());
  for (Eigen::Index t = 0; t < planned.cols(); ++t) {
    Eigen::VectorXd w;
    topology::writhe(points_at(chain, shown.plan.q.col(t)), scene.pole, {}, w);
    planned.col(t) = w;
  }
  SvgPlot plot({.title = "How much each segment is wound around the pole (Fig. 6)", .columns = 3});
  const std::array<std::pair<const char*, const Eigen::MatrixXd*>, 2> maps{
      {{"wanted in writhe space, y", &shown.plan.y}, {"of the arm's motion, \u03c6(q)", &planned}}};
  for (const auto& [title, map] : maps) {
    SvgPanel& panel = plot.panel(
        {.title = title, .x_label = "time step", .y_label = "segment of the arm", .legend = figures::Legend::outside});
    draw_matrix(panel, *map, planned.cwiseAbs().maxCoeff());
  }
  SvgPanel& sum = plot.panel({.x_label = "time step", .y_label = "writhe of the whole arm [turns]"});
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(planned.cols(), 0, static_cast<double>(planned.cols() - 1));
  sum.line(t, Eigen::VectorXd(shown.plan.y.colwise().sum()), {.label = "wanted", .dash = "6 4"});
  sum.line(t, Eigen::VectorXd(planned.colwise().sum()), {.label = "of the motion"});
  plot.write(out / "unwrap_writhe.svg");
}

struct Curve {
  const char* name;
  const char* color;
  figures::Marker marker;
};
constexpr std::array<Curve, 4> curves{{{planner::aico, palette::blue, figures::Marker::circle},
                                       {planner::rrt, palette::vermilion, figures::Marker::square},
                                       {planner::connect, palette::green, figures::Marker::triangle},
                                       {planner::inverse_kinematics, palette::grey, figures::Marker::diamond}}};

/// Shares in per cent with their intervals.
void draw_rates(SvgPanel& panel, const std::vector<double>& x, const std::vector<Rate>& rates, const Curve& curve) {
  std::vector<double> share, low, high;
  for (const Rate& rate : rates) {
    share.push_back(100 * rate.share());
    low.push_back(100 * interval(rate).least);
    high.push_back(100 * interval(rate).most);
  }
  panel.band(x, low, high, {.color = curve.color, .width = 0, .fill_opacity = 0.12});
  panel.line(x, share, {.color = curve.color, .label = curve.name, .marker = curve.marker});
}

void draw_planners(const StudyResults& results, const StudyChoice& choice, const figures::OutputFolder& out) {
  SvgPlot plot({.title = "Planning by the winding (Fig. 7)", .columns = 3});
  SvgPanel& checks =
      plot.panel({.x_label = "turns", .y_label = "collision checks", .y_scale = figures::AxisScale::logarithmic});
  SvgPanel& success = plot.panel({.x_label = "turns", .y_label = "success [%]", .y_range = {{-5, 105}}});
  SvgPanel& time =
      plot.panel({.x_label = "turns", .y_label = "time [s], median", .y_scale = figures::AxisScale::logarithmic});
  SvgPanel& cost = plot.panel(
      {.x_label = "turns", .y_label = "control cost where solved, median", .y_scale = figures::AxisScale::logarithmic});
  SvgPanel& blocked = plot.panel({.x_label = "straight line in joint space blocked [%]",
                                  .y_label = "collision checks (cross: failed)",
                                  .y_scale = figures::AxisScale::logarithmic});
  for (const Curve& curve : curves) {
    if (trials_of(results.trials, curve.name).empty()) continue;
    std::vector<double> median_checks, low, high, seconds, costs;
    std::vector<Rate> share;
    for (const double winding : choice.windings) {
      std::vector<Trial> trials = trials_of(results.trials, curve.name, winding);
      std::vector<double> counts;
      for (const Trial& trial : trials) counts.push_back(static_cast<double>(trial.checks));
      std::ranges::sort(counts);
      low.push_back(counts[counts.size() / 10]);
      high.push_back(counts[counts.size() - 1 - counts.size() / 10]);
      median_checks.push_back(studies::median(counts));
      share.push_back(rate_of(trials));
      seconds.push_back(median_of(trials, &Trial::seconds));
      costs.push_back(median_of(successes(trials), &Trial::cost));
    }
    checks.band(choice.windings, low, high, {.color = curve.color, .width = 0});
    checks.line(choice.windings, median_checks, {.color = curve.color, .label = curve.name, .marker = curve.marker});
    draw_rates(success, choice.windings, share, curve);
    time.line(choice.windings, seconds, {.color = curve.color, .label = curve.name, .marker = curve.marker});
    cost.line(choice.windings, costs, {.color = curve.color, .label = curve.name, .marker = curve.marker});
    for (const bool solved : {true, false}) {
      std::vector<double> x, y;
      for (const Trial& trial : trials_of(results.trials, curve.name))
        if (trial.success == solved) {
          x.push_back(100 * trial.blocked);
          y.push_back(static_cast<double>(trial.checks));
        }
      if (!x.empty())
        blocked.markers(x, y,
                        {.color = curve.color,
                         .label = solved ? curve.name : "",
                         .marker = solved ? curve.marker : figures::Marker::cross});
    }
  }
  if (can_grow_trees()) {
    std::vector<double> costs;
    for (const double winding : choice.windings) {
      costs.push_back(median_of(successes(trials_of(results.trials, planner::shortened, winding)), &Trial::cost));
    }
    cost.line(choice.windings, costs, {.color = palette::green, .label = planner::shortened, .dash = "6 4"});
  }
  plot.write(out / "unwrap_planners.svg");
}

/// Draws what the precision of the writhe changes, on the scenes on which it is chosen.
void draw_precisions(const StudyResults& results, const StudyChoice& choice, const figures::OutputFolder& out) {
  SvgPlot plot({.title = "The precision of the writhe in the coupling of both levels", .columns = 3});
  const auto panel = [&](const std::string& label, figures::AxisScale scale) -> SvgPanel& {
    return plot.panel({.x_label = "precision \u03c1 of the writhe",
                       .y_label = label,
                       .x_scale = figures::AxisScale::logarithmic,
                       .y_scale = scale});
  };
  std::vector<double> x;
  std::vector<Rate> rates;
  for (const SweptPrecision& swept : results.sweep) {
    x.push_back(swept.precision);
    rates.push_back(rate_of(trials_of(swept.trials, planner::aico)));
  }
  SvgPanel& success = plot.panel({.x_label = "precision \u03c1 of the writhe",
                                  .y_label = "success [%]",
                                  .x_scale = figures::AxisScale::logarithmic,
                                  .y_range = {{-5, 105}}});
  draw_rates(success, x, rates, curves[0]);
  SvgPanel& cost = panel("AICO's control cost where solved, median", figures::AxisScale::logarithmic);
  SvgPanel& ratio = panel("RRT's control cost over AICO's, median", figures::AxisScale::logarithmic);
  for (const double winding : choice.windings) {
    std::vector<double> costs, ratios;
    for (const SweptPrecision& swept : results.sweep) {
      costs.push_back(median_of(successes(trials_of(swept.trials, planner::aico, winding)), &Trial::cost));
      ratios.push_back(studies::median(cost_ratios(swept.trials, planner::rrt, winding)));
    }
    const figures::SvgStyle style{.label = figures::format_number(winding) + " turns",
                                  .marker = figures::Marker::circle};
    cost.line(x, costs, style);
    ratio.line(x, ratios, style);
  }
  ratio.horizontal_line(100, {.color = palette::grey, .label = "the paper's", .dash = "6 4"});
  plot.write(out / "unwrap_precision.svg");
}

/// Animates the arm's axis as lines, frame by frame.
void draw_motion(const Shown& shown, const figures::OutputFolder& out) {
  SvgPlot plot({.title = "Unwinding", .panel_width = 560, .panel_height = 420, .frame_seconds = 0.1});
  SvgPanel& panel = plot.panel({.equal_aspect = true, .axes = false});
  const figures::SurfaceScene view = studies::shaded_scene(viewer);
  const auto line = [&](const Eigen::Matrix3Xd& points, const char* color, double width, int frame) {
    panel.line(view.project(points), {.color = color, .width = width, .frame = frame});
  };
  const Capsule& rod = std::get<Capsule>(shown.scene.obstacles[1]);
  Eigen::Matrix3Xd ends(3, 2);
  ends << rod.a, rod.b;
  line(shown.scene.pole, palette::grey, 14, -1);
  line(ends, palette::vermilion, 14, -1);
  const auto kinematics = shown.scene.arm.points();
  for (Eigen::Index t = 0; t < shown.plan.q.cols(); ++t) {
    const Eigen::Matrix3Xd points = points_at(kinematics, shown.plan.q.col(t));
    line(points.leftCols(rope_segments + 1), palette::blue, 7, static_cast<int>(t));
    for (int f = 0; f < fingers; ++f) {
      Eigen::Matrix3Xd finger(3, 5);
      finger << points.col(rope_segments), points.middleCols(tip_of(f) - 3, 4);
      line(finger, palette::sky, 4, static_cast<int>(t));
    }
  }
  plot.write(out / "unwrap_motion.svg");
}

}  // namespace

std::string draw(const StudyResults& results, const StudyChoice& choice, const figures::OutputFolder& out) {
  std::string files;
  draw_planners(results, choice, out);
  files += "- unwrap_planners.svg: checks, success, cost by the winding, and by what is blocked (Fig. 7)\n";
  if (!results.sweep.empty()) {
    draw_precisions(results, choice, out);
    files += "- unwrap_precision.svg: success and cost by the precision of the writhe\n";
  }
  if (!results.shown) return files;
  const Shown& shown = *results.shown;
  draw_poses(shown, out);
  files += "- unwrap_poses.svg: the arm wound and unwound, with its writhe matrices (Fig. 5)\n";
  draw_writhe(shown, out);
  files += "- unwrap_writhe.svg: the writhe of each segment over time (Fig. 6)\n";
  draw_motion(shown, out);
  files += "- unwrap_motion.svg: the motion, an animation\n";
  studies::write_frames(out / "unwrap.pvd", shown.scene.arm, shown.plan.q, choice.inference.dt,
                        [&](int) { return shown.scene.obstacles; });
  files += "- unwrap.pvd: the same for ParaView, with frames .vtu\n";
  return files;
}

}  // namespace studies::unwrap
