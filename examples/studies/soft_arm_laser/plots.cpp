// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/plans/plan_counts.hpp"
#include "examples/studies/soft_arm_laser/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace studies::laser {
namespace {

using namespace figures;

std::vector<double> times_from(const Setup& setup, int first, Eigen::Index count) {
  std::vector<double> times;
  for (Eigen::Index i = first; i < count; ++i) times.push_back(static_cast<double>(i) * setup.time_step);
  return times;
}

void draw_counts(SvgPanel& panel, const std::vector<PlannerResult>& planners) {
  for (const PlannerResult& planner : planners) {
    if (planner.key == "eq2") continue;
    const PlanCounts counts(planner.plan);
    panel.line(counts.iterations, counts.evaluations, {.color = planner.color, .label = planner.name, .width = 2.2});
    mark_starts(panel, counts.starts, counts.starts_evaluations, planner.color);
  }
}

/// The lower corners of the cells of a level of which all corners were evaluated, at least one
/// of them first on this level.
std::vector<Eigen::Vector2d> visited_cells(const Eigen::MatrixXd& corners, const Setup& setup, double spacing,
                                           int level) {
  const double h = std::ldexp(spacing, -level), begin = setup.lattice_begin(spacing);
  using Key = std::pair<long, long>;
  const auto key = [&](const Eigen::Vector2d& corner) {
    return Key{std::lround((corner[0] - begin) / h), std::lround((corner[1] - begin) / h)};
  };
  std::set<Key> on_level;
  for (Eigen::Index c = 0; c < corners.cols(); ++c) {
    const Eigen::Vector2d units = (corners.col(c).array() - begin) / h;
    if ((units - units.array().round().matrix()).cwiseAbs().maxCoeff() < 1e-6) on_level.insert(key(corners.col(c)));
  }
  std::vector<Eigen::Vector2d> cells;
  for (const auto& [a, b] : on_level) {
    const std::array<Key, 4> all = {{{a, b}, {a + 1, b}, {a, b + 1}, {a + 1, b + 1}}};
    const bool complete = std::all_of(all.begin(), all.end(), [&](const Key& k) { return on_level.contains(k); });
    const bool own =
        level == 0 || std::any_of(all.begin(), all.end(), [](const Key& k) { return k.first % 2 || k.second % 2; });
    if (complete && own) cells.emplace_back(begin + h * static_cast<double>(a), begin + h * static_cast<double>(b));
  }
  return cells;
}

}  // namespace

template <int SpaceDim>
void draw_spots(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out) {
  const Setup& setup = result.arm.setup;
  SvgPlot plot({.panel_width = 450, .panel_height = 430});
  SvgPanel& path = plot.panel({.title = "The spot, replayed on Eq. 2, over its target",
                               .x_label = SpaceDim == 3 ? "x [m]" : "time [s]",
                               .y_label = SpaceDim == 3 ? "y [m]" : "x [m]",
                               .equal_aspect = SpaceDim == 3,
                               .legend = figures::Legend::none});
  SvgPanel& error = plot.panel({.title = "Distance from the target",
                                .x_label = "time [s]",
                                .y_label = "error [mm]",
                                .y_scale = AxisScale::logarithmic,
                                .y_range = std::pair(1e-4, 3e3)});
  std::vector<double> target_x, target_y;
  for (int i = setup.approach; i <= setup.steps; ++i) {
    const auto point = target<SpaceDim>(setup, i);
    target_x.push_back(SpaceDim == 3 ? point[0] : i * setup.time_step);
    target_y.push_back(point[SpaceDim - 2]);
  }
  path.line(target_x, target_y, {.color = palette::light, .width = 8});
  for (const PlannerResult& planner : result.planners) {
    if (planner.key.starts_with("grid_") || !planner.extrapolated.empty()) continue;
    const Eigen::MatrixXd& spots = planner.replay.spots;
    const std::string dash = planner.key == "eq8" ? "7 5" : "";
    const auto times = times_from(setup, 0, spots.cols());
    const SvgStyle style{
        .color = planner.color, .label = planner.name, .width = planner.key == "grid" ? 2.4 : 1.6, .dash = dash};
    if (SpaceDim == 3)
      path.line(spots.row(0), spots.row(SpaceDim - 2), style);
    else
      path.line(times, spots.row(0), style);
    std::vector<double> distance;
    for (Eigen::Index i = setup.approach; i < spots.cols(); ++i)
      distance.push_back(1e3 * (spots.col(i) - target<SpaceDim>(setup, static_cast<int>(i))).norm());
    error.line(times_from(setup, setup.approach, spots.cols()), distance, style);
  }
  plot.write(out / (SpaceDim == 2 ? "spot_2d.svg" : "spot_3d.svg"));
}

void draw_evaluations(const ArmResult<2>* plane, const ArmResult<3>* space, const figures::OutputFolder& out) {
  SvgPlot plot({.panel_width = 450, .panel_height = 340});
  const auto options = [&](const std::string& arm) {
    const bool named_beside = space && arm == "plane arm";
    return figures::PanelOptions{.title = "Exact evaluations, " + arm,
                                 .x_label = "iteration of the planner",
                                 .y_label = "evaluations of f so far",
                                 .y_scale = AxisScale::logarithmic,
                                 .integer_x = true,
                                 .legend = named_beside ? figures::Legend::none : figures::Legend::automatic};
  };
  if (plane) draw_counts(plot.panel(options("plane arm")), plane->planners);
  if (space) draw_counts(plot.panel(options("arm in space")), space->planners);
  plot.write(out / "evaluations.svg");
}

void draw_cells(const ArmResult<2>& result, const figures::OutputFolder& out) {
  const Setup& setup = result.arm.setup;
  const PlannerResult& grid = result.grid();
  const GridChoice& choice = grid.grid->choice;
  const int last = levels_for(choice.spacing, choice.threshold).last;
  SvgPlot plot({.panel_width = 620, .panel_height = 600});
  SvgPanel& panel = plot.panel({.title = "Cells visited and iterates, plane arm",
                                .x_label = "\u03b1\u2081",
                                .y_label = "\u03b1\u2082",
                                .equal_aspect = true});
  const std::vector<std::string> fills = {"#e3eff8", "#b3d3ea", "#79b1da", "#4f95c6"};
  for (int level = 0; level <= last; ++level) {
    const double h = std::ldexp(choice.spacing, -level);
    bool first = true;
    for (const Eigen::Vector2d& cell : visited_cells(grid.grid->corners, setup, choice.spacing, level)) {
      panel.rectangle(cell[0], cell[1], cell[0] + h, cell[1] + h,
                      {.color = palette::blue,
                       .fill = fills[static_cast<std::size_t>(std::min(level, 3))],
                       .label = first ? "cells of spacing " + spacings({.spacing = h, .threshold = h}) : "",
                       .width = 0.6,
                       .fill_opacity = 1});
      first = false;
    }
  }
  const Eigen::MatrixXd& corners = grid.grid->corners;
  panel.markers(corners.row(0), corners.row(1),
                {.color = palette::black, .label = "evaluations of f", .marker_size = 3.6});
  std::vector<const PlanIteration*> iterates;
  for (const PlanIteration& it : grid.plan.log)
    if (it.round == 0 && it.points.size() > 0) iterates.push_back(&it);
  for (std::size_t s = 1; s < std::min<std::size_t>(iterates.size(), 4); ++s)
    panel.line(iterates[s]->points.row(0), iterates[s]->points.row(1),
               {.color = palette::orange, .label = s == 1 ? "first three iterates" : "", .width = 1.2, .opacity = 0.9});
  panel.line(grid.plan.points.row(0), grid.plan.points.row(1),
             {.color = palette::vermilion, .label = "plan", .width = 2.2});
  plot.write(out / "cells.svg");
}

template void draw_spots<2>(const ArmResult<2>&, const figures::OutputFolder&);
template void draw_spots<3>(const ArmResult<3>&, const figures::OutputFolder&);

}  // namespace studies::laser
