// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/snap_plan.hpp"

#include "quoin/robots/optimization/box_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace studies::branches {
namespace {

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using Matrix24 = Eigen::Matrix<double, 2, 4>;

constexpr double fold_tolerance = 1e-4;  // N
constexpr double target_weight = 1e5;    // N a metre that the crown is off

GridView<2> crown_of(const ArchBranches& branches, int branch) {
  const Eigen::Index row = branches.arch().options().segments;
  MatrixXd C = MatrixXd::Zero(2, branches.arch().output_size());
  C(0, row) = C(1, row + 1) = 1;
  return branches.view(branch).linear_output(C);
}

/// A knot with its derivative by the variables (angle of the first ray, of the second, loads at the target).
struct Knot {
  Point<2> x = Point<2>::Zero();
  Matrix24 dx = Matrix24::Zero();
};

/// The knot behind the fold that a ray from a knot meets first; none if it leaves the domain before.
std::optional<Knot> across_fold(const ArchBranches& branches, int branch, const Knot& from, double angle, int variable,
                                double overshoot) {
  const Setup& setup = branches.setup();
  const Point<2> ray(std::cos(angle), std::sin(angle)), turned(-ray[1], ray[0]);
  double reach = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i)
    if (ray[i] != 0) reach = std::min(reach, ((ray[i] > 0 ? setup.upper : setup.lower)[i] - from.x[i]) / ray[i]);
  const auto end = branches.branch(branch).end_between(from.x, from.x + (reach - overshoot) * ray, fold_tolerance);
  if (!end) return std::nullopt;
  const double length = (end->last.x - from.x).norm();
  const Point<2> normal = end->normal();
  // The fold's line, normal . dx = 0, gives how the length follows the angle and the knot.
  Eigen::RowVector4d dlength = -normal.transpose() * from.dx / normal.dot(ray);
  dlength[variable] -= length * normal.dot(turned) / normal.dot(ray);
  Knot knot{end->last.x + overshoot * ray, from.dx + ray * dlength};
  knot.dx.col(variable) += (length + overshoot) * turned;
  return knot;
}

/// The knots that the variables name, and the crown at the third; false where there are none.
struct Way {
  std::array<Knot, 5> knots;
  VectorXd crown;
  MatrixXd crown_J;
};
bool way_of(const ArchBranches& branches, const GridView<2>& crown, const SnapTask& task, const VectorXd& z, Way& way) {
  way.knots[2].x = z.tail<2>();
  way.knots[2].dx << Matrix2d::Zero(), Matrix2d::Identity();
  if (!crown.try_evaluate(way.knots[2].x, way.crown, way.crown_J).has_value()) return false;
  const auto first = across_fold(branches, 0, way.knots[0], z[0], 0, task.overshoot);
  if (!first) return false;
  way.knots[1] = *first;
  const auto second = across_fold(branches, 1, way.knots[2], z[1], 1, task.overshoot);
  if (!second) return false;
  way.knots[3] = *second;
  return true;
}

double moves_of(const Way& way) {
  double sum = 0;
  for (std::size_t i = 1; i < 5; ++i) sum += (way.knots[i].x - way.knots[i - 1].x).squaredNorm();
  return std::sqrt(sum);
}

VectorXd residuals(const Way& way, const SnapTask& task, MatrixXd* J) {
  VectorXd r(10);
  if (J) J->setZero(10, 4);
  for (int i = 0; i < 4; ++i) {
    const Knot &from = way.knots[static_cast<std::size_t>(i)], &to = way.knots[static_cast<std::size_t>(i) + 1];
    r.segment<2>(2 * i) = to.x - from.x;
    if (J) J->middleRows<2>(2 * i) = to.dx - from.dx;
  }
  r.tail<2>() = target_weight * (way.crown - task.target);
  if (J) J->bottomRows<2>() = target_weight * way.crown_J * way.knots[2].dx;
  return r;
}

/// Loads at which the crown is nearest to the target on one branch.
optimization::LeastSquaresResult reach_on(const ArchBranches& branches, int branch, const SnapTask& task) {
  const GridView<2> crown = crown_of(branches, branch);
  VectorXd y;
  MatrixXd J_y;
  const auto jacobian = [&](const VectorXd& z, VectorXd& r, MatrixXd& J) {
    if (!crown.try_evaluate(Point<2>(z), y, J_y).has_value()) return false;
    r = target_weight * (y - task.target);
    J = target_weight * J_y;
    return true;
  };
  const auto residual = [&](const VectorXd& z, VectorXd& r) { return jacobian(z, r, J_y); };
  return optimization::box_least_squares(residual, jacobian, Vector2d::Zero(), branches.setup().lower,
                                         branches.setup().upper,
                                         {.relative_tolerance = 1e-6, .check_curvature = false});
}

}  // namespace

SnapPlan plan_snaps(const ArchBranches& branches, const SnapTask& task) {
  const long before = branches.corrections();
  SnapPlan best;
  best.nearest_on_upper = std::sqrt(2 * reach_on(branches, 0, task).cost) / target_weight;
  const VectorXd at_target = reach_on(branches, 1, task).x;
  const GridView<2> crown = crown_of(branches, 1);
  const auto residual = [&](const VectorXd& z, VectorXd& r) {
    Way way;
    if (!way_of(branches, crown, task, z, way)) return false;
    r = residuals(way, task, nullptr);
    return true;
  };
  const auto jacobian = [&](const VectorXd& z, VectorXd& r, MatrixXd& J) {
    Way way;
    if (!way_of(branches, crown, task, z, way)) return false;
    r = residuals(way, task, &J);
    return true;
  };
  constexpr double pi = std::numbers::pi;
  const Eigen::Vector4d range(0.45 * pi, 0.45 * pi, 0, 0);
  Eigen::Vector4d lower(0, pi, 0, 0), upper = lower;
  lower -= range;
  upper += range;
  lower.tail<2>() = branches.setup().lower;
  upper.tail<2>() = branches.setup().upper;
  for (const double first : {-0.15, 0.15})
    for (const double second : {-0.15, 0.15}) {
      const Eigen::Vector4d guess(first, pi + second, at_target[0], at_target[1]);
      Way way;
      if (!way_of(branches, crown, task, guess, way)) continue;
      const double guessed = moves_of(way);
      const auto solved =
          optimization::box_least_squares(residual, jacobian, guess, lower, upper,
                                          {.max_iterations = 12, .relative_tolerance = 1e-4, .check_curvature = false});
      if (!way_of(branches, crown, task, solved.x, way)) continue;
      const double moves = moves_of(way);
      best.iterations += solved.iterations;
      if (best.found && moves >= best.moves) continue;
      best.found = (way.crown - task.target).norm() < 1e-4;
      best.moves = moves;
      best.first_moves = guessed;
      for (std::size_t i = 0; i < 5; ++i) best.knots[i] = way.knots[i].x;
    }
  best.corrections = branches.corrections() - before;
  return best;
}

Replay replay(const ArchBranches& branches, const SnapTask& task, const SnapPlan& plan) {
  const Arch& arch = branches.arch();
  Replay result;
  result.exact_snaps.fill(std::numeric_limits<double>::quiet_NaN());
  result.ridden_snaps = result.exact_snaps;
  Equilibrium at = *arch.settle(arch.rest(), plan.knots[0]);
  const VectorXd first = at.y;
  result.shapes = {first};
  const Path path = branches.path();
  BranchState<2> state{0, plan.knots[0]};
  for (std::size_t move = 0; move < 4; ++move) {
    const Point<2> from = plan.knots[move], to = plan.knots[move + 1];
    const double length = (to - from).norm();
    const double part = fold(arch, from, at, to, 0.1 / length, 1e-6 / length);
    if (part < 1 && move % 2 == 0) result.exact_snaps[move / 2] = part * length;
    if (move == 0) result.shapes.push_back(follow(arch, from, at.y, from + 0.99 * part * (to - from), 0.05)->y);
    at = *follow(arch, from, at.y, to, 0.05);
    const HysteresisResult<2> ridden = path.move(state, to);
    state = ridden.state;
    if (!ridden.snaps.empty() && move % 2 == 0) result.ridden_snaps[move / 2] = (ridden.snaps[0].before - from).norm();
    if (move == 0 || move == 1) result.shapes.push_back(at.y);
    const Eigen::Index row = arch.options().segments;
    if (move == 1) result.miss = (at.y.segment<2>(row) - task.target).norm();
  }
  result.returned_to = (at.y - first).lpNorm<Eigen::Infinity>();
  return result;
}

}  // namespace studies::branches
