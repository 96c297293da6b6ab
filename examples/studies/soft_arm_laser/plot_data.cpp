// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
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

template <int SpaceDim>
void add_plans(figures::JsonResults& rows, const ArmResult<SpaceDim>& result) {
  for (const PlannerResult& planner : result.planners) {
    figures::ResultRow row;
    row.set("arm", arm_name<SpaceDim>())
        .set("key", planner.key)
        .set("name", planner.name)
        .set("extrapolated", planner.extrapolated);
    PlanCounts(planner.plan).tell(row);
    rows.add(std::move(row));
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

void write_plans(const ArmResult<2>* plane, const ArmResult<3>* space, const figures::OutputFolder& out) {
  figures::JsonResults rows;
  if (plane) add_plans(rows, *plane);
  if (space) add_plans(rows, *space);
  rows.write(out / "plans.json");
}

void write_cells(const ArmResult<2>& result, const figures::OutputFolder& out) {
  const GridResult& grid = *result.grid().grid;
  const GridChoice& choice = grid.choice;
  figures::CsvWriter cells(out / "cells_2d.csv", {"level", "spacing", "alpha1", "alpha2"});
  for (int level = 0; level <= levels_for(choice.spacing, choice.threshold).last; ++level)
    for (const Eigen::Vector2d& cell : visited_cells(grid.corners, result.arm.setup, choice.spacing, level))
      cells.row({static_cast<double>(level), std::ldexp(choice.spacing, -level), cell[0], cell[1]});
  cells.close();

  figures::CsvWriter corners(out / "corners_2d.csv", {"alpha1", "alpha2"});
  for (const auto& corner : grid.corners.colwise()) corners.row(corner);
  corners.close();

  std::vector<const PlanIteration*> iterates;
  for (const PlanIteration& it : result.grid().plan.log)
    if (it.round == 0 && it.points.size() > 0) iterates.push_back(&it);
  figures::CsvWriter points(out / "iterates_2d.csv", {"iterate", "alpha1", "alpha2"});
  for (std::size_t s = 1; s < std::min<std::size_t>(iterates.size(), 4); ++s)
    for (const auto& point : iterates[s]->points.colwise()) points.row({static_cast<double>(s), point[0], point[1]});
  points.close();
}

}  // namespace studies::laser
