// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/robots/task_map_grid/contact.hpp"

#include "benchmarks/robots/task_map_grid/scenes.hpp"
#include "benchmarks/support/break_even.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/topology/writhe_map.hpp"
#include "quoin/robots/task_maps/task_map_in.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace benchmarks {
namespace {

using topology::WritheForm;

constexpr double off = 0.01;    // turns: an answer with a larger error is wrong
constexpr int cells = 16;       // along an edge of the box
constexpr double apart = 0.15;  // rad of the joint that sweeps: how far a grid stays from contact

/// The map with the label of its branch: floor(T), T the sum of its outputs.
template <int Dim, class Map>
auto labelled(const Map& map) {
  return exact_function<Dim>(
      map.output_size(),
      [map](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        Eigen::VectorXd value;
        Eigen::MatrixXd jacobian;
        map.evaluate(x, value, jacobian);
        y = value;
        J = jacobian;
        return static_cast<int>(std::floor(value.sum()));
      });
}

template <int Dim, class Map>
ContactRow ask(const AdaptiveGrid<Dim>& grid, const Map& map, const std::vector<Point<Dim>>& points) {
  ContactRow row{.joints = Dim,
                 .calls_map = grid.options().on_branches == BranchPolicy::call_function,
                 .to_tolerance = grid.tolerance().has_value()};
  const double each = 1.0 / static_cast<double>(points.size());
  Eigen::VectorXd y, f;
  for (const Point<Dim>& x : points) {
    const Answer answer = grid.evaluate(x, y);
    map.evaluate(x, f);
    const double error = (y - f).cwiseAbs().maxCoeff();
    const bool called = answer.trust == Trust::exact, nearest = answer.trust == Trust::nearest_branch;
    row.calls += called;
    (called ? row.exact : nearest ? row.nearest_branch : row.interpolated) += each;
    if (error > off) row.wrong += each;
    if (std::floor(y.sum()) != std::floor(f.sum())) row.other_side += each;
    row.worst = std::max(row.worst, error);
    if (!called && !nearest) row.worst_interpolated = std::max(row.worst_interpolated, error);
  }
  row.evaluations = grid.statistics().exact_evaluations - row.calls;
  return row;
}

template <std::size_t Dim>
void add_rows(const std::string& name, WritheForm form, bool quick, std::vector<ContactRow>& rows) {
  constexpr int dim = static_cast<int>(Dim);
  const TaskScene<7> scene = arm_across_pole();
  std::array<int, Dim> joints;
  std::copy_n(scene.joints.begin(), Dim, joints.begin());
  const auto map = restrict_to(task_map_in<7>(topology::WritheMap(scene.robot, {.form = form}), scene.environment),
                               joints, scene.held);
  const auto box = QueryBox<dim>::around(Point<dim>(scene.held(joints)), scene.reach);
  const std::size_t questions = quick ? 1000 : 4000;
  const auto points = random_points(box, questions);
  const auto add = [&](const std::string& grid, ContactRow row, bool labels, bool away = false) {
    row.form = name;
    row.grid = grid;
    row.labelled = labels;
    row.away = away;
    rows.push_back(row);
  };
  const auto with_labels = labelled<dim>(map);
  add("no labels", ask<dim>(grid_in<dim>(box, map, cells), map, points), false);
  add("labels, nearest corner", ask<dim>(grid_in<dim>(box, with_labels, cells), map, points), true);
  add("labels, map called",
      ask<dim>(grid_in<dim>(box, with_labels, cells, {.on_branches = BranchPolicy::call_function}), map, points), true);
  GridOptions<dim> to_tolerance{.deepest_level = 4, .tolerance = 1e-3};
  add("no labels, tolerance 1e-3", ask<dim>(grid_in<dim>(box, map, cells / 2, to_tolerance), map, points), false);
  add("labels, tolerance 1e-3", ask<dim>(grid_in<dim>(box, with_labels, cells / 2, to_tolerance), map, points), true);
  to_tolerance.on_branches = BranchPolicy::call_function;
  add("labels, tolerance 1e-3, map called",
      ask<dim>(grid_in<dim>(box, with_labels, cells / 2, to_tolerance), map, points), true);

  // The second joint sweeps the arm across the pole, which stands a little beyond the middle.
  QueryBox<dim> one_side = box;
  one_side.upper[1] = scene.held[joints[1]] - apart;
  add("kept away", ask<dim>(grid_in<dim>(one_side, map, cells), map, random_points(one_side, questions)), false, true);
}

std::string percent(double share) { return studies::figures::format_number(100 * share, 2) + " %"; }

}  // namespace

std::vector<ContactRow> contact_rows(bool quick) {
  std::vector<ContactRow> rows;
  add_rows<2>("of robot segments", WritheForm::of_robot_segments, quick, rows);
  add_rows<2>("scalar", WritheForm::scalar, quick, rows);
  add_rows<3>("of robot segments", WritheForm::of_robot_segments, quick, rows);
  add_rows<3>("scalar", WritheForm::scalar, quick, rows);
  return rows;
}

studies::figures::ResultRow to_result(const ContactRow& row) {
  studies::figures::ResultRow result;
  result.set("map", "writhe across a pole, " + row.form).set("joints", row.joints).set("grid", row.grid);
  result.set("evaluations", row.evaluations).set("calls_at_queries", row.calls);
  result.set("interpolated", row.interpolated).set("nearest_branch", row.nearest_branch).set("exact", row.exact);
  result.set("worst", row.worst).set("worst_interpolated", row.worst_interpolated);
  return result.set("wrong", row.wrong).set("other_side", row.other_side);
}

std::string contact_table(const std::vector<ContactRow>& rows) {
  studies::figures::JsonResults table;
  for (const ContactRow& row : rows) {
    studies::figures::ResultRow result = to_result(row);
    for (const auto& [key, share] : {std::pair{"interpolated", row.interpolated},
                                     {"nearest_branch", row.nearest_branch},
                                     {"exact", row.exact},
                                     {"wrong", row.wrong},
                                     {"other_side", row.other_side}})
      result.set(key, percent(share));
    table.add(result.set("form", row.form));
  }
  return table.markdown({{"form"},
                         {"joints"},
                         {"grid"},
                         {"evaluations"},
                         {"calls_at_queries", "calls at queries"},
                         {"interpolated"},
                         {"nearest_branch", "nearest branch"},
                         {"exact"},
                         {"worst_interpolated", "worst interpolated"},
                         {"worst", "worst"},
                         {"wrong", "off by more than 0.01"},
                         {"other_side", "other side"}});
}

}  // namespace benchmarks
