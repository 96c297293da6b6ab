// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/robots/task_map_grid/scenes.hpp"
#include "benchmarks/support/break_even.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/task_maps/task_map_in.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace benchmarks {

constexpr double one_plan = 1000;     // queries: 50 steps, 20 sweeps
constexpr double many_queries = 1e5;  // in one world

struct TaskRow {
  std::string map;
  int joints;
  double wanted, error;  ///< relative; the error at other points than those that chose the spacing
  double corners;
  double faster;                        ///< call / query, with the Jacobian
  double pays_from;                     ///< queries
  double saved_in_plan, saved_in_many;  ///< s
  bool derivatives_hold;
};

/// A task map over the first Dim of the scene's joints, the others held, on the coarsest grid
/// that meets the wanted error.
template <std::size_t Dim, int n, class Map>
TaskRow measure(const std::string& name, const TaskScene<n>& scene, const Map& map, double wanted, bool quick,
                studies::figures::JsonResults& results) {
  constexpr int dim = static_cast<int>(Dim);
  std::array<int, Dim> joints;
  std::copy_n(scene.joints.begin(), Dim, joints.begin());
  const auto slice = restrict_to(task_map_in<n>(map, scene.environment), joints, scene.held);
  const auto box = QueryBox<dim>::around(Point<dim>(scene.held(joints)), scene.reach);
  const auto points = random_points(box, 256), others = random_points(box, 1024, 2);
  const int cells = cells_for<dim>(wanted, box, slice, points);
  const GridErrors errors = errors_at<dim>(others, grid_in<dim>(box, slice, cells), slice);
  const BreakEven<dim> costs(box, slice, cells, points, quick ? 5 : 50, 8);

  bool derivatives_hold = true;
  for (std::size_t k = 0; k < 8; ++k)
    derivatives_hold &= check_derivatives<dim>(slice, others[k], {.largest_step = 1e-3}).passed;

  const TaskRow row{.map = name,
                    .joints = dim,
                    .wanted = wanted,
                    .error = errors.value,
                    .corners = costs.corners(),
                    .faster = 1 / costs.jacobian().ratio,
                    .pays_from = costs.queries(),
                    .saved_in_plan = costs.saved_in(one_plan),
                    .saved_in_many = costs.saved_in(many_queries),
                    .derivatives_hold = derivatives_hold};
  studies::figures::ResultRow result;
  result.set("map", name)
      .set("joints", dim)
      .set("wanted", wanted)
      .set("outputs", slice.output_size())
      .set("spacing", costs.spacing(box))
      .set("corners", std::llround(costs.corners()))
      .set("error", errors.value)
      .set("worst_error", errors.worst_value)
      .set("jacobian_error", errors.jacobian)
      .set("worst_jacobian_error", errors.worst_jacobian);
  costs.add_costs_to(result);
  results.add(result.set("faster", row.faster)
                  .set("saved_in_plan_ms", 1e3 * row.saved_in_plan)
                  .set("saved_ms", 1e3 * row.saved_in_many));
  return row;
}

/// Over two, three and four joints, at errors of 1e-3 and 1e-4.
template <int n, class Map>
void measure_all(const std::string& name, const TaskScene<n>& scene, const Map& map, bool quick,
                 studies::figures::JsonResults& results, std::vector<TaskRow>& rows) {
  for (const double wanted : {1e-3, 1e-4}) {
    rows.push_back(measure<2>(name, scene, map, wanted, quick, results));
    rows.push_back(measure<3>(name, scene, map, wanted, quick, results));
    rows.push_back(measure<4>(name, scene, map, wanted, quick, results));
  }
}

}  // namespace benchmarks
