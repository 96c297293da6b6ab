// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/history.hpp"

#include "quoin/quoin.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace studies::branches {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Label and value at each corner that a grid evaluated.
using Corners = std::map<std::pair<double, double>, std::pair<int, VectorXd>>;

auto recorded(const AnyBody& body, double step, double repeatable_to, Corners& corners) {
  const auto f = following(body, step, repeatable_to);
  return exact_function<2>(
      body.output_size(),
      [f, &corners](const Point<2>& x, Eigen::Ref<VectorXd> y, Eigen::Ref<MatrixXd> J,
                    const SolvedCorner<2>* start) -> int {
        MatrixXd jet(y.size(), 3);
        const int branch = f.sample(x, jet, start);
        y = jet.col(0);
        J = jet.rightCols(2);
        corners[{x[0], x[1]}] = {branch, y};
        return branch;
      },
      f.traits());
}

void add(Sweep& sweep, const Setup& setup, double at, const VectorXd& y) {
  const double observed = setup.observable * y;
  const int side = observed >= 0 ? 1 : -1;
  if (std::isnan(sweep.snap) && !sweep.sides.empty() && side != sweep.sides.front()) sweep.snap = at;
  sweep.at.push_back(at);
  sweep.observed.push_back(observed);
  sweep.sides.push_back(side);
}

Sweep named(const std::string& key, const std::string& name) {
  return {.key = key, .name = name, .snap = std::numeric_limits<double>::quiet_NaN()};
}

Sweep of_body(const AnyBody& body, const Setup& setup, const std::vector<double>& places, Sweep sweep, double step) {
  Point<2> x = on_row(setup, places.front(), setup.line_at);
  auto at = body.settle(body.starts().front(), x);
  for (const double place : places) {
    const Point<2> next = on_row(setup, place, setup.line_at);
    if (at) at = follow(body, x, at->y, next, step);
    if (!at) throw std::runtime_error("the body is lost on its way to " + to_text(place));
    x = next;
    add(sweep, setup, place, at->y);
  }
  return sweep;
}

Sweep of_grid(const GridView<2>& view, const Setup& setup, const std::vector<double>& places, Sweep sweep) {
  VectorXd y;
  for (const double place : places) {
    view.evaluate(on_row(setup, place, setup.line_at), y);
    add(sweep, setup, place, y);
  }
  return sweep;
}

}  // namespace

History sweep(const AnyBody& body, const Setup& setup, double step, double repeatable_to) {
  const VectorXd upward =
      VectorXd::LinSpaced(setup.line_points, setup.lower[setup.jump_axis], setup.upper[setup.jump_axis]);
  const std::vector<double> up(upward.begin(), upward.end()), down(up.rbegin(), up.rend());
  History history{.setup = setup};
  history.body_up = of_body(body, setup, up, named("body_up", "the arch, load rising"), step);
  history.body_down = of_body(body, setup, down, named("body_down", "the arch, load falling"), step);

  GridOptions<2> options;
  options.spacing = setup.spacing;
  options.lower = setup.lower;
  options.upper = setup.upper;
  Corners first, second;
  const AdaptiveGrid<2> grid(recorded(body, step, repeatable_to, first), options);
  const GridView<2> view = grid.at_level(setup.level);
  history.grid_up = of_grid(view, setup, up, named("grid_up", "a grid asked, load rising"));
  history.evaluations_up = static_cast<long>(grid.statistics().exact_evaluations);
  history.grid_back = of_grid(view, setup, down, named("grid_back", "the same grid asked again, falling"));
  history.evaluations_back = static_cast<long>(grid.statistics().exact_evaluations) - history.evaluations_up;
  const AdaptiveGrid<2> fresh(recorded(body, step, repeatable_to, second), options);
  history.fresh_down =
      of_grid(fresh.at_level(setup.level), setup, down, named("fresh_down", "a fresh grid asked, load falling"));
  history.evaluations_down = static_cast<long>(fresh.statistics().exact_evaluations);

  const std::size_t points = up.size();
  for (std::size_t i = 0; i < points; ++i) {
    history.largest_change_on_way_back =
        std::max(history.largest_change_on_way_back,
                 std::abs(history.grid_up.observed[i] - history.grid_back.observed[points - 1 - i]));
    if (history.grid_up.sides[i] != history.fresh_down.sides[points - 1 - i])
      history.differing += 1 / static_cast<double>(points);
  }
  for (const auto& [x, corner] : first) {
    const auto other = second.find(x);
    if (other == second.end()) continue;
    ++history.shared_corners;
    if (other->second.first != corner.first) continue;
    ++history.same_branch;
    history.repeated_to =
        std::max(history.repeated_to, (corner.second - other->second.second).lpNorm<Eigen::Infinity>() /
                                          corner.second.lpNorm<Eigen::Infinity>());
  }
  return history;
}

}  // namespace studies::branches
