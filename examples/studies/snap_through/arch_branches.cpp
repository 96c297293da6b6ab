// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/arch_branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace studies::branches {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

SolutionBranch<2> branch_of(const Arch& arch, const Point<2>& step, const VectorXd& start) {
  const auto seed = arch.settle(start, Point<2>::Zero());
  if (!seed) throw std::runtime_error("no stable equilibrium without load");
  // Where the equation knows of no equilibrium near the prediction, to settle would take all the way to another branch.
  const auto correct = [arch, norm = ErrorNorm(arch.output_size())](const Point<2>& x, VectorXd& y, MatrixXd& J) {
    VectorXd dy;
    if (!arch.correction(x, y, norm, dy)) return false;
    const auto found = arch.settle(y + dy, x);
    if (!found) return false;
    y = found->y;
    J = found->J;
    return true;
  };
  return SolutionBranch<2>(correct, Point<2>::Zero(), seed->y, {.step = step});
}

/// The body followed along a side, and the load at which it leaves its first branch.
void follow_exactly(const AnyBody& body, const Setup& setup, double step, Equilibrium at, LoopSide& side) {
  const int label = at.branch;
  Point<2> x = on_row(setup, side.at.front(), setup.line_at);
  side.exact_snap = std::numeric_limits<double>::quiet_NaN();
  for (const double load : side.at) {
    const Point<2> next = on_row(setup, load, setup.line_at);
    const auto moved = follow(body, x, at.y, next, step);
    if (!moved) throw std::runtime_error("the body is lost at " + to_text(next));
    if (std::isnan(side.exact_snap) && moved->branch != label) {
      const double length = std::abs(next[setup.jump_axis] - x[setup.jump_axis]);
      const double part = fold(body, x, at, next, 1.0, 1e-6 / length);
      side.exact_snap = x[setup.jump_axis] + part * (next - x)[setup.jump_axis];
    }
    at = *moved;
    x = next;
    side.exact.push_back(setup.observable * at.y);
  }
}

BranchState<2> follow_side(const ArchBranches& branches, BranchState<2> state, LoopSide& side) {
  const Setup& setup = branches.setup();
  const Path path = branches.path();
  const long before = branches.corrections();
  side.snap = std::numeric_limits<double>::quiet_NaN();
  const int first = state.branch;
  VectorXd y;
  for (std::size_t i = 0; i < side.at.size(); ++i) {
    const HysteresisResult<2> moved = path.move(state, on_row(setup, side.at[i], setup.line_at));
    if (moved.status != HysteresisStatus::arrived)
      throw std::runtime_error("the state ends at " + to_text(moved.state.x));
    state = moved.state;
    if (!moved.snaps.empty()) side.snap = moved.snaps[0].before[setup.jump_axis];
    const Answer answer = branches.view(state.branch).evaluate(state.x, y);
    side.called += (answer.trust == Trust::exact ? 1.0 : 0.0) / static_cast<double>(side.at.size());
    side.on_grid.push_back(setup.observable * y);
    if (state.branch != first) continue;
    const double error = std::abs(side.on_grid[i] - side.exact[i]);
    double& worst = std::abs(side.at[i] - side.exact_snap) < 1 ? side.worst_near_fold : side.worst;
    worst = std::max(worst, error);
  }
  side.corrections = branches.corrections() - before;
  return state;
}

}  // namespace

ArchBranches::ArchBranches(const Arch& arch, const Setup& setup) : arch_(arch), setup_(setup) {
  const Point<2> step = std::ldexp(1.0, -setup.level) * setup.spacing;
  GridOptions<2> options;
  options.spacing = setup.spacing;
  options.lower = setup.lower;
  options.upper = setup.upper;
  options.on_failure = FailurePolicy::call_function;
  for (const VectorXd& start : arch.starts()) {
    branches_.push_back(branch_of(arch, step, start));
    grids_.emplace_back(branches_.back(), options);
  }
}

Path ArchBranches::path() const {
  const auto relax = [arch = arch_](const Point<2>& x, const VectorXd& y) -> std::optional<VectorXd> {
    const auto at = arch.settle(y, x);
    if (!at) return std::nullopt;
    return at->y;
  };
  const Point<2> step = std::ldexp(1.0, -setup_.level) * setup_.spacing;
  return Path({view(0), view(1)}, relax, {.step = step});
}

std::vector<Point<2>> ArchBranches::fold_curve(int i, int rows) const {
  std::vector<Point<2>> curve;
  const int axis = setup_.jump_axis;
  for (int row = 0; row < rows; ++row) {
    const double part = static_cast<double>(row) / (rows - 1);
    const double beside = (1 - part) * setup_.lower[1 - axis] + part * setup_.upper[1 - axis];
    const Point<2> from = on_row(setup_, 0, beside);
    const auto end =
        branch(i).end_between(from, on_row(setup_, i == 0 ? setup_.upper[axis] : setup_.lower[axis], beside), 1e-4);
    if (end) curve.push_back(end->last.x);
  }
  return curve;
}

Loop follow_loop(const ArchBranches& branches, double step) {
  const AnyBody body = branches.arch();
  const Setup& setup = branches.setup();
  const int axis = setup.jump_axis;
  const VectorXd loads = VectorXd::LinSpaced(setup.line_points, setup.lower[axis], setup.upper[axis]);
  Loop loop;
  loop.rising.at.assign(loads.begin(), loads.end());
  loop.falling.at.assign(loop.rising.at.rbegin(), loop.rising.at.rend());
  const auto settled = [&](int start, double at) {
    const auto found = body.settle(body.starts()[static_cast<std::size_t>(start)], on_row(setup, at, setup.line_at));
    if (!found) throw std::runtime_error("no stable equilibrium at " + to_text(at));
    return *found;
  };
  follow_exactly(body, setup, step, settled(0, loads[0]), loop.rising);
  follow_exactly(body, setup, step, settled(1, loads[loads.size() - 1]), loop.falling);
  BranchState<2> state{0, on_row(setup, loads[0], setup.line_at)};
  state = follow_side(branches, state, loop.rising);
  state = follow_side(branches, state, loop.falling);
  LoopSide rising = loop.rising, falling = loop.falling;
  const long before = branches.corrections();
  follow_side(branches, follow_side(branches, state, rising), falling);
  loop.again = branches.corrections() - before;
  return loop;
}

}  // namespace studies::branches
