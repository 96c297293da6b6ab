// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/plot_data.hpp"

#include "examples/studies/figures/json_results.hpp"

#include <string>
#include <utility>
#include <vector>

namespace studies::branches {
namespace {

using figures::JsonResults;
using figures::ResultRow;

ResultRow row_of(const Result& result) {
  const Setup& setup = result.setup;
  ResultRow row;
  row.set("name", setup.name)
      .set("axes", std::vector<std::string>(setup.axes.begin(), setup.axes.end()))
      .set("observable", setup.observable_name)
      .set("branches", std::vector<std::string>{setup.branches[0].name, setup.branches[1].name})
      .set("labels", std::vector<double>{static_cast<double>(setup.branches[0].label),
                                         static_cast<double>(setup.branches[1].label)})
      .set("lower", std::vector<double>(setup.lower.begin(), setup.lower.end()))
      .set("upper", std::vector<double>(setup.upper.begin(), setup.upper.end()))
      .set("jump_axis", setup.jump_axis)
      .set("line_at", setup.line_at)
      .set("tolerance", setup.tolerance)
      .set("nearest_branch", static_cast<int>(Trust::nearest_branch))
      .set("jump_at", result.jump_point[setup.jump_axis])
      .set("jump_observed",
           std::vector<double>{setup.observable * result.at_jump[0].y, setup.observable * result.at_jump[1].y});
  return row;
}

ResultRow row_of(const Case& grid) {
  std::vector<double> lower_0, lower_1, upper_0, upper_1, trust, corner_0, corner_1, labels;
  for (const Leaf& leaf : grid.leaves) {
    lower_0.push_back(leaf.lower[0]);
    lower_1.push_back(leaf.lower[1]);
    upper_0.push_back(leaf.upper[0]);
    upper_1.push_back(leaf.upper[1]);
    trust.push_back(static_cast<double>(static_cast<int>(leaf.trust)));
  }
  for (const auto& [point, label] : grid.corners) {
    corner_0.push_back(point[0]);
    corner_1.push_back(point[1]);
    labels.push_back(label);
  }
  ResultRow row;
  row.set("key", grid.key)
      .set("name", grid.name)
      .set("evaluations", grid.evaluations)
      .set("cell_x0", lower_0)
      .set("cell_x1", lower_1)
      .set("cell_end_x0", upper_0)
      .set("cell_end_x1", upper_1)
      .set("cell_trust", trust)
      .set("corner_x0", corner_0)
      .set("corner_x1", corner_1)
      .set("corner_label", labels);
  return row;
}

}  // namespace

void write_plot_data(const Result& result, const ShapeLines& lines, const figures::OutputFolder& out) {
  const Setup& setup = result.setup;
  JsonResults({row_of(result)}).write(out / (setup.key + "_setup.json"));

  JsonResults cases;
  for (const Case& grid : result.cases) cases.add(row_of(grid));
  cases.write(out / (setup.key + "_cases.json"));

  JsonResults shapes;
  const auto add_shape = [&](const std::string& name, const Eigen::VectorXd& y) {
    const Eigen::Matrix2Xd points = lines(y);
    const auto values = [&](Eigen::Index row) {
      return std::vector<double>(points.row(row).begin(), points.row(row).end());
    };
    shapes.add(ResultRow().set("name", name).set("x", values(0)).set("z", values(1)));
  };
  for (std::size_t b = 0; b < 2; ++b) add_shape(setup.branches[b].name, result.at_jump[b].y);
  add_shape("their mean, as interpolated", (result.at_jump[0].y + result.at_jump[1].y) / 2);
  shapes.write(out / (setup.key + "_shapes.json"));
}

}  // namespace studies::branches
