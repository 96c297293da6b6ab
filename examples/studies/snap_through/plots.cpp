// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/plots.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace studies::branches {
namespace {

using namespace figures;

constexpr std::array<const char*, 2> branch_colors = {palette::blue, palette::vermilion};

const Case& find(const Result& result, const std::string& key) {
  return *std::find_if(result.cases.begin(), result.cases.end(), [&](const Case& c) { return c.key == key; });
}

/// Coordinates along the line, and a value taken from each query there; NaN where `keep` is false.
template <class Take, class Keep>
std::pair<std::vector<double>, std::vector<double>> along(const Setup& setup, const std::vector<Query>& line, Take take,
                                                          Keep keep) {
  std::pair<std::vector<double>, std::vector<double>> series;
  for (const Query& query : line) {
    series.first.push_back(query.x[setup.jump_axis]);
    series.second.push_back(keep(query) ? take(query) : std::numeric_limits<double>::quiet_NaN());
  }
  return series;
}

/// The range of the values with room above for a legend.
std::pair<double, double> with_headroom(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return {low - 0.08 * (high - low), high + 0.62 * (high - low)};
}

const auto always = [](const Query&) { return true; };

std::string line_name(const Setup& setup) {
  return setup.axes[1 - setup.jump_axis] + " = " + figures::format_number(setup.line_at);
}

void draw_curves(SvgPanel& panel, const Result& result) {
  for (int b = 0; b < 2; ++b)
    panel.markers(column(result.folds[b], 0), column(result.folds[b], 1),
                  {.color = branch_colors[b],
                   .label = result.folds[b].empty() ? "" : "'" + result.setup.branches[b].name + "' ends",
                   .marker = Marker::diamond,
                   .marker_size = 5});
  panel.line(column(result.maxwell, 0), column(result.maxwell, 1),
             {.color = palette::black, .label = "f jumps", .width = 2});
}

}  // namespace

std::vector<double> column(const std::vector<Point<2>>& points, int axis) {
  std::vector<double> values;
  for (const Point<2>& point : points) values.push_back(point[axis]);
  return values;
}

void draw_branches(const Result& result, const ShapeDrawer& draw_shape, const figures::OutputFolder& out) {
  const Setup& setup = result.setup;
  SvgPlot plot({.panel_width = 500, .panel_height = 400});
  std::vector<double> all;
  for (const Eigen::VectorXd& branch : result.line_observed) all.insert(all.end(), branch.begin(), branch.end());
  SvgPanel& panel = plot.panel({.title = "Two ways to rest, " + line_name(setup),
                                .x_label = setup.axes[setup.jump_axis],
                                .y_label = setup.observable_name,
                                .y_range = with_headroom(all)});
  const double jump_at = result.jump_point[setup.jump_axis];
  panel.line({jump_at, jump_at}, {setup.observable * result.at_jump[0].y, setup.observable * result.at_jump[1].y},
             {.color = palette::grey, .width = 1, .dash = "4 4"});
  for (int b = 0; b < 2; ++b)
    panel.line(result.line, result.line_observed[b],
               {.color = palette::light, .label = b == 0 ? "the body's two branches" : "", .width = 9});
  const auto observed = [](const Query& query) { return query.observed; };
  const auto [at, without] = along(setup, find(result, "unlabelled").line, observed, always);
  panel.line(at, without, {.color = palette::orange, .label = "grid without labels", .width = 2});
  const std::vector<Query>& nearest = find(result, "nearest").line;
  for (const Trust trust : {Trust::unchecked, Trust::nearest_branch}) {
    const auto [places, values] =
        along(setup, nearest, observed, [&](const Query& query) { return query.answer.trust == trust; });
    if (trust == Trust::unchecked)
      panel.line(places, values, {.color = palette::blue, .label = "grid with labels", .width = 2});
    else
      panel.markers(places, values,
                    {.color = palette::purple, .label = "with labels, from the nearest corner", .marker_size = 5});
  }

  SvgPanel& shapes =
      plot.panel({.title = "At the jump both have the same energy", .equal_aspect = true, .axes = false});
  for (int b = 0; b < 2; ++b)
    draw_shape(shapes, result.at_jump[b].y, {.color = branch_colors[b], .label = setup.branches[b].name, .width = 2});
  draw_shape(shapes, (result.at_jump[0].y + result.at_jump[1].y) / 2,
             {.color = palette::orange, .label = "their mean, as interpolated", .width = 1.4});
  plot.write(out / (setup.key + "_branches.svg"));
}

void draw_errors(const Result& result, const figures::OutputFolder& out) {
  const Setup& setup = result.setup;
  SvgPlot plot({.panel_width = 560, .panel_height = 360});
  for (const bool tolerance : {false, true}) {
    SvgPanel& panel =
        plot.panel({.title = tolerance ? "Error along the line, tolerance " + figures::format_number(setup.tolerance)
                                       : "Error along the line, one level",
                    .x_label = setup.axes[setup.jump_axis],
                    .y_label = "error / jump",
                    .y_scale = figures::AxisScale::logarithmic,
                    .y_range = std::pair(1e-10, 1e6)});
    const std::string suffix = tolerance ? "_tolerance" : "";
    const auto error = [](const Query& query) { return query.error; };
    const auto [at, without] = along(setup, find(result, "unlabelled" + suffix).line, error, always);
    panel.line(at, without, {.color = palette::orange, .label = "without labels", .width = 2});
    const std::vector<Query>& nearest = find(result, "nearest" + suffix).line;
    const auto [places, interpolated] =
        along(setup, nearest, error, [](const Query& query) { return query.answer.trust != Trust::nearest_branch; });
    panel.line(places, interpolated, {.color = palette::blue, .label = "with labels, interpolated", .width = 2});
    const auto [mixed, continued] =
        along(setup, nearest, error, [](const Query& query) { return query.answer.trust == Trust::nearest_branch; });
    panel.markers(mixed, continued,
                  {.color = palette::purple, .label = "with labels, nearest branch", .marker_size = 5});
  }
  plot.write(out / (setup.key + "_errors.svg"));
}

void draw_cells(const Result& result, const figures::OutputFolder& out) {
  const Setup& setup = result.setup;
  SvgPlot plot({.columns = 2, .panel_width = 560, .panel_height = 430});
  for (const std::string key : {"unlabelled", "nearest", "unlabelled_tolerance", "nearest_tolerance"}) {
    const Case& grid = find(result, key);
    SvgPanel& panel = plot.panel({.title = grid.name + ": " + to_text(grid.evaluations) + " evaluations",
                                  .x_label = setup.axes[0],
                                  .y_label = setup.axes[1],
                                  .x_range = std::pair(setup.lower[0], setup.upper[0]),
                                  .y_range = std::pair(setup.lower[1], setup.upper[1]),
                                  .legend = figures::Legend::outside});
    bool first_mixed = true;
    for (const Leaf& leaf : grid.leaves) {
      const bool mixed = leaf.trust == Trust::nearest_branch;
      panel.rectangle(leaf.lower[0], leaf.lower[1], leaf.upper[0], leaf.upper[1],
                      {.color = palette::grey,
                       .fill = mixed ? palette::purple : "#eef4fa",
                       .label = mixed && std::exchange(first_mixed, false) ? "both labels" : "",
                       .width = 0.5,
                       .fill_opacity = mixed ? 0.7 : 1});
    }
    std::vector<double> x, y;
    for (const Query& query : grid.queries) {
      if (query.off_equilibrium < 0.01) continue;
      x.push_back(query.x[0]);
      y.push_back(query.x[1]);
    }
    panel.markers(x, y,
                  {.color = palette::orange,
                   .label = x.empty() ? "" : "no equilibrium",
                   .marker = Marker::cross,
                   .marker_size = 6});
    for (int b = 0; b < 2; ++b) {
      std::vector<Point<2>> corners;
      for (const auto& [point, label] : grid.corners)
        if (label == setup.branches[b].label) corners.push_back(point);
      panel.markers(column(corners, 0), column(corners, 1),
                    {.color = branch_colors[b], .label = "f: " + setup.branches[b].name, .marker_size = 3.4});
    }
    draw_curves(panel, result);
  }
  plot.write(out / (setup.key + "_cells.svg"));
}

void draw_history(const History& history, const figures::OutputFolder& out) {
  const Setup& setup = history.setup;
  SvgPlot plot({.panel_width = 500, .panel_height = 380});
  const auto panel_with = [&](const std::string& title) -> SvgPanel& {
    SvgPanel& panel = plot.panel({.title = title,
                                  .x_label = setup.axes[setup.jump_axis],
                                  .y_label = setup.observable_name,
                                  .y_range = with_headroom(history.body_up.observed)});
    panel.line(history.body_up.at, history.body_up.observed,
               {.color = palette::light, .label = history.body_up.name, .width = 9});
    panel.line(history.body_down.at, history.body_down.observed,
               {.color = palette::grey, .label = history.body_down.name, .width = 9, .opacity = 0.5});
    return panel;
  };
  SvgPanel& one = panel_with("One grid asked on the way up and back");
  one.line(history.grid_up.at, history.grid_up.observed,
           {.color = palette::blue, .label = history.grid_up.name, .width = 2.4});
  one.line(history.grid_back.at, history.grid_back.observed,
           {.color = palette::vermilion, .label = history.grid_back.name, .width = 1.6, .dash = "6 5"});
  SvgPanel& two = panel_with("Two grids of one body");
  two.line(history.grid_up.at, history.grid_up.observed,
           {.color = palette::blue, .label = history.grid_up.name, .width = 2.4});
  two.line(history.fresh_down.at, history.fresh_down.observed,
           {.color = palette::vermilion, .label = history.fresh_down.name, .width = 2.4});
  plot.write(out / (setup.key + "_history.svg"));
}

}  // namespace studies::branches
