// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/moving_obstacles/sphere_results.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace studies::spheres {
namespace {

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

void write_sweeps(const SphereResults& results, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  const auto add = [&](const std::string& name, const Sweep& sweep) {
    for (const SweepPoint& point : sweep.points)
      rows.add(figures::ResultRow()
                   .set("sweep", name)
                   .set("displacement", sweep.result.set.amplitude)
                   .set("family", point.family)
                   .set("value", point.value)
                   .set("margin", point.margin)
                   .set("cost_over_replanning", sweep.result.ratio(point.name)));
  };
  add("strength", results.strength);
  add("gain", results.gain);
  rows.write(out / "sweeps.json");
}

}  // namespace

void write_data(const SphereResults& results, const figures::OutputFolder& out) {
  write_levels(results, out);
  write_sweeps(results, out);
}

}  // namespace studies::spheres
