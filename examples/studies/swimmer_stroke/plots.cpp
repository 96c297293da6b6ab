// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimmer_stroke/pictures.hpp"

#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/plans/plan_counts.hpp"
#include "examples/studies/swimming/swim_frames.hpp"
#include "examples/studies/swimming/swim_pictures.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace studies::stroke {
namespace {

using namespace figures;

constexpr std::array<const char*, joints> joint_colors = {palette::blue, palette::vermilion, palette::green};
constexpr std::array<const char*, joints> numbers = {"\u2081", "\u2082", "\u2083"};
constexpr std::array<const char*, joints> places = {" head", " middle", " tail"};

std::string angle_name(int k) { return std::string("q") + numbers[static_cast<std::size_t>(k)]; }

std::vector<double> times(const Setup& setup, Eigen::Index count) {
  std::vector<double> result;
  for (Eigen::Index i = 0; i < count; ++i) result.push_back(static_cast<double>(i) * setup.time_step);
  return result;
}

/// Draws torques as constant over each step.
void draw_torques(SvgPanel& panel, const Setup& setup, const Plan& plan, const std::string& dash, bool labels) {
  for (int k = 0; k < joints; ++k) {
    std::vector<double> time, torque;
    for (Eigen::Index i = 0; i < plan.controls.cols(); ++i)
      for (const Eigen::Index end : {i, i + 1}) {
        time.push_back(static_cast<double>(end) * setup.time_step);
        torque.push_back(plan.controls(k, i));
      }
    panel.line(time, torque,
               {.color = joint_colors[static_cast<std::size_t>(k)],
                .label = labels ? std::string("\u03c4") + numbers[static_cast<std::size_t>(k)] +
                                      places[static_cast<std::size_t>(k)]
                                : "",
                .width = dash.empty() ? 2.2 : 1.6,
                .dash = dash});
  }
}

using Cell = std::pair<long, long>;

/// The cells that a path passes through, in the plane of two axes.
std::set<Cell> cells_passed(const Eigen::MatrixXd& points, int a, int b, double spacing) {
  std::set<Cell> cells;
  for (Eigen::Index i = 0; i + 1 < points.cols(); ++i)
    for (int part = 0; part <= 8; ++part) {
      const Eigen::VectorXd point = points.col(i) + part / 8.0 * (points.col(i + 1) - points.col(i));
      cells.insert({std::lround(std::floor(point[a] / spacing)), std::lround(std::floor(point[b] / spacing))});
    }
  return cells;
}

}  // namespace

void write_csv(const StrokeResult& result, const figures::OutputFolder& out) {
  for (const PlannerResult& planner : result.planners)
    write_swim(result.fish, planner.plan.controls, planner.plan.states, out / ("plan_" + planner.key + ".csv"));
}

void draw_joints(const StrokeResult& result, const figures::OutputFolder& out) {
  const Setup& setup = result.fish.setup;
  const PlannerResult& grid = result.grid();
  const PlannerResult* exact = result.find("exact");
  if (exact && !exact->extrapolated.empty()) exact = nullptr;
  SvgPlot plot({.columns = 1, .panel_width = 720, .panel_height = 260});
  SvgPanel& angles = plot.panel({.y_label = "joint angle [rad]", .legend = figures::Legend::outside});
  SvgPanel& torques = plot.panel({.y_label = "torque [N m]", .legend = figures::Legend::outside});
  SvgPanel& forward =
      plot.panel({.x_label = "time [s]", .y_label = "way forward [m]", .legend = figures::Legend::outside});
  for (const double limit : {-setup.joint_limit, setup.joint_limit})
    angles.horizontal_line(limit,
                           {.color = palette::grey, .label = limit > 0 ? "limit" : "", .width = 1, .dash = "3 4"});
  for (const PlannerResult* planner : {&grid, exact}) {
    if (!planner) continue;
    const bool first = planner == &grid;
    const std::string dash = first ? "" : "6 5";
    for (int k = 0; k < joints; ++k) {
      const std::size_t joint = static_cast<std::size_t>(k);
      const std::string label = first ? angle_name(k) + places[joint] : k == 0 ? "exact plan" : std::string();
      angles.line(times(setup, planner->plan.states.cols()), planner->plan.states.row(k),
                  {.color = first ? joint_colors[joint] : palette::black,
                   .label = label,
                   .width = first ? 2.2 : 1.2,
                   .dash = dash});
    }
    draw_torques(torques, setup, planner->plan, dash, first);
    const Eigen::Matrix3Xd path = locus(result.fish, planner->plan.states);
    forward.line(times(setup, path.cols()), path.row(0).array() - path(0, 0),
                 {.color = planner->color, .label = first ? "grid plan" : "exact plan", .dash = dash});
  }
  plot.write(out / "joints.svg");
}

void draw_evaluations(const StrokeResult& result, const figures::OutputFolder& out) {
  SvgPlot plot({.panel_width = 640, .panel_height = 400});
  SvgPanel& panel = plot.panel({.title = "Exact evaluations of the added mass",
                                .x_label = "iteration of the planner",
                                .y_label = "evaluations so far",
                                .y_scale = AxisScale::logarithmic,
                                .integer_x = true,
                                .legend = figures::Legend::outside});
  std::vector<double> all_starts, all_starts_evaluations;
  for (const PlannerResult& planner : result.planners) {
    const auto [count, evaluations, starts, starts_evaluations] = PlanCounts(planner.plan);
    all_starts.insert(all_starts.end(), starts.begin(), starts.end());
    all_starts_evaluations.insert(all_starts_evaluations.end(), starts_evaluations.begin(), starts_evaluations.end());
    panel.line(count, evaluations, {.color = planner.color, .label = planner.name, .width = 2.2});
    if (planner.iterations_wanted > static_cast<int>(count.back())) {
      const double slope = (evaluations.back() - evaluations.front()) / count.back();
      std::vector<double> later, more;
      for (double at = count.back(); at <= planner.iterations_wanted; ++at) {
        later.push_back(at);
        more.push_back(evaluations.front() + slope * at);
      }
      panel.line(later, more, {.color = planner.color, .label = "the same, extrapolated", .width = 1.6, .dash = "6 5"});
    }
  }
  mark_starts(panel, all_starts, all_starts_evaluations, palette::black);
  plot.write(out / "evaluations.svg");
}

void draw_path(const StrokeResult& result, const figures::OutputFolder& out) {
  const PlannerResult& grid = result.grid();
  const GridChoice& choice = grid.grid->choice;
  const int last = choice.tolerance > 0 ? 0 : levels_for(choice.spacing, choice.threshold).last;
  SvgPlot plot({.panel_width = 400, .panel_height = 480});
  for (const int axis : {0, 1}) {
    SvgPanel& panel = plot.panel({.title = axis == 0 ? "The plan among the joint angles" : "",
                                  .x_label = angle_name(axis) + " [rad]",
                                  .y_label = angle_name(axis + 1) + " [rad]",
                                  .x_range = std::pair(-1.25, 1.25),
                                  .y_range = std::pair(-1.25, 1.95),
                                  .equal_aspect = true,
                                  .legend = axis == 0 ? figures::Legend::none : figures::Legend::automatic});
    for (const int level : {0, last}) {
      const double h = std::ldexp(choice.spacing, -level);
      bool first = true;
      for (const auto& [a, b] : cells_passed(grid.plan.points, axis, axis + 1, h)) {
        const double x = static_cast<double>(a) * h, y = static_cast<double>(b) * h;
        panel.rectangle(x, y, x + h, y + h,
                        {.color = palette::blue,
                         .fill = level == 0 ? "#e3eff8" : "#79b1da",
                         .label = first ? "cells of spacing " + spacings({.spacing = h, .threshold = h}) : "",
                         .width = 0.6,
                         .fill_opacity = 1});
        first = false;
      }
      if (last == 0) break;
    }
    panel.line(grid.plan.points.row(axis), grid.plan.points.row(axis + 1),
               {.color = palette::vermilion, .label = "plan", .width = 2.2});
    panel.markers(grid.plan.points.col(0).segment<1>(axis), grid.plan.points.col(0).segment<1>(axis + 1),
                  {.color = palette::vermilion, .label = "start", .marker_size = 8});
  }
  plot.write(out / "path.svg");
}

}  // namespace studies::stroke
