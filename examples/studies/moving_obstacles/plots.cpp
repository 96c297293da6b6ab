// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/moving_obstacles/sphere_results.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace studies::spheres {
namespace {

using namespace figures;

const std::map<std::string, const char*> colors = {{replanning, palette::blue},   {remapped, palette::vermilion},
                                                   {mesh_alone, palette::orange}, {as_printed, palette::purple},
                                                   {plain_ik, palette::black},    {stiff_ik, palette::green},
                                                   {amending_ik, palette::grey},  {blind, palette::light}};

/// Writes a row for each displacement, four columns for each method.
void write_levels(const SphereResults& results, const figures::OutputFolder& out) {
  std::vector<std::string> header = {"displacement"};
  for (const MethodCosts& method : results.levels.front().methods)
    for (const char* what : {"mean", "quartile_1", "quartile_3", "in_collision"}) {
      std::string column = method.name + " " + what;
      std::erase(column, ',');
      std::ranges::replace(column, ' ', '_');
      header.push_back(column);
    }
  figures::CsvWriter csv(out / "levels.csv", header);
  for (const SetResult& level : results.levels) {
    std::vector<double> row = {level.set.amplitude};
    for (const MethodCosts& method : level.methods)
      row.insert(row.end(), {method.mean(), method.quantile(0.25), method.quantile(0.75), method.collision_share()});
    csv.row(row);
  }
  csv.close();
}

void draw_levels(const SphereResults& results, const figures::OutputFolder& out) {
  SvgPlot plot({.columns = 2, .panel_width = 500, .panel_height = 380});
  SvgPanel& cost = plot.panel({.title = "Cost, mean and quartiles (Fig. 9)",
                               .x_label = "displacement of the spheres [m]",
                               .y_label = "running cost",
                               .legend = figures::Legend::none});
  SvgPanel& share = plot.panel({.title = "In collision",
                                .x_label = "displacement of the spheres [m]",
                                .y_label = "share of the motions",
                                .legend = figures::Legend::outside});
  for (std::size_t m = 0; m < results.levels.front().methods.size(); ++m) {
    const std::string name = results.levels.front().methods[m].name;
    std::vector<double> at, mean, low, high, colliding;
    for (const SetResult& level : results.levels) {
      const MethodCosts& method = level.methods[m];
      at.push_back(level.set.amplitude);
      mean.push_back(method.mean());
      low.push_back(method.quantile(0.25));
      high.push_back(method.quantile(0.75));
      colliding.push_back(method.collision_share());
    }
    const char* color = colors.at(name);
    if (name == replanning || name == remapped || name == plain_ik)
      cost.band(at, low, high, {.color = color, .width = 0, .fill_opacity = 0.15});
    cost.line(at, mean, {.color = color, .label = name, .marker = Marker::circle, .marker_size = 5});
    share.line(at, colliding, {.color = color, .label = name, .marker = Marker::circle, .marker_size = 5});
  }
  plot.write(out / "cost.svg");
}

std::string at_displacement(const Sweep& sweep) {
  return ", at " + figures::format_number(sweep.result.set.amplitude, 1) + " m";
}

void draw_sweeps(const SphereResults& results, const figures::OutputFolder& out) {
  std::vector<double> ratios;
  for (const Sweep* sweep : {&results.strength, &results.gain})
    for (const SweepPoint& point : sweep->points) ratios.push_back(sweep->result.ratio(point.name));
  const std::pair range(0.95 * *std::ranges::min_element(ratios), 1.1 * *std::ranges::max_element(ratios));
  SvgPlot plot({.columns = 2, .panel_width = 560, .panel_height = 360});
  SvgPanel& strength = plot.panel({.title = "Strength of C" + at_displacement(results.strength),
                                   .x_label = "C [1/m²]",
                                   .y_label = "mean cost over re-planning",
                                   .x_scale = AxisScale::logarithmic,
                                   .y_scale = AxisScale::logarithmic,
                                   .y_range = {range},
                                   .legend = figures::Legend::outside});
  SvgPanel& gain = plot.panel({.title = "Inverse kinematics" + at_displacement(results.gain),
                               .x_label = "distance at which it responds [m]",
                               .y_label = "mean cost over re-planning",
                               .y_scale = AxisScale::logarithmic,
                               .y_range = {range},
                               .legend = figures::Legend::outside});
  struct Line {
    std::vector<double> x, y;
  };
  std::map<std::string, Line> lines;
  for (const SweepPoint& point : results.strength.points) {
    lines[point.family].x.push_back(point.value);
    lines[point.family].y.push_back(results.strength.result.ratio(point.name));
  }
  for (const auto& [name, line] : lines) strength.line(line.x, line.y, {.label = name, .marker = Marker::circle});
  lines.clear();
  for (const SweepPoint& point : results.gain.points) {
    if (point.family == "straight to the goal") continue;
    Line& line = lines[point.family + ", damping " + figures::format_number(point.value) + " m"];
    line.x.push_back(point.margin);
    line.y.push_back(results.gain.result.ratio(point.name));
  }
  for (const auto& [name, line] : lines)
    gain.line(line.x, line.y,
              {.label = name, .dash = name.starts_with("on the plan") ? "5 4" : "", .marker = Marker::circle});
  plot.write(out / "sweeps.svg");
}

}  // namespace

std::string draw(const SphereResults& results, const figures::OutputFolder& out) {
  write_levels(results, out);
  draw_levels(results, out);
  draw_sweeps(results, out);
  return "  cost.svg                   cost and collisions against the displacement (Fig. 9)\n"
         "  sweeps.svg                 strength of C; gain and reach of inverse kinematics\n"
         "  levels.csv                 the numbers behind them\n";
}

}  // namespace studies::spheres
