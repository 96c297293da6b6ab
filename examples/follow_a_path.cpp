// SPDX-License-Identifier: BSD-3-Clause
// A hanging arm that two tendons bend follows a path: planned over a grid of its rest shapes, run on a simulation that
// knows of waves along the arm, learnt from, and held when the tip is hit. With quoin installed:
//   g++ -std=c++20 -O2 examples/follow_a_path.cpp $(pkg-config --cflags eigen3) -lquoin_planning -lquoin_optimization
#include <quoin/quoin.hpp>
#include <quoin/robots/planning/tracking/tracking_runs.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstdio>
#include <utility>

using Eigen::MatrixXd, Eigen::Vector2d, Eigen::VectorXd;
constexpr int links = 10, outputs = 22;  // with masses at their ends, and springs that hold them straight
constexpr double length = 0.03, mass = 0.012, weight = 9.81 * mass, damping = 2, time_step = 0.02, part = time_step / 4;
const Eigen::Vector2i at_tip(links - 1, 2 * links - 1);
const MatrixXd sums = MatrixXd::Ones(links, links).triangularView<Eigen::Lower>();
const MatrixXd springs = 0.8 * (sums * sums.transpose()).inverse();
// How far tendons shorten with the angles: one runs to the tip, one, on the other side, to the middle.
const MatrixXd pulleys = 0.02 * (VectorXd::Unit(links, links - 1) * Eigen::RowVector2d(1, 0) -
                                 VectorXd::Unit(links, links / 2 - 1) * Eigen::RowVector2d(0, 1));

/// The ends of the links at their angles from the vertical, first all x, then all y; and the derivative.
std::pair<VectorXd, MatrixXd> ends(const VectorXd& angles) {
  const VectorXd s = length * angles.array().sin(), c = length * angles.array().cos();
  return {(VectorXd(2 * links) << sums * s, -sums * c).finished(),
          (MatrixXd(2 * links, links) << sums * c.asDiagonal(), sums * s.asDiagonal()).finished()};
}

/// The angles under pulls, by Newton's method; with inertia, where masses would go freely to `on`.
VectorXd solve(VectorXd angles, const VectorXd& pulls, double inertia, const VectorXd& on) {
  for (int i = 0; i < 15; ++i) {
    const auto [p, J] = ends(angles);
    VectorXd force = pulleys * pulls - springs * angles + inertia * J.transpose() * (on - p);
    MatrixXd H = springs + inertia * J.transpose() * J;
    force -= weight * J.bottomRows(links).colwise().sum();
    H.diagonal() += weight * J.topRows(links).colwise().sum();
    angles += H.ldlt().solve(force);
  }
  return angles;
}

/// The slow function: where the masses rest, by the root of the mass, and the lengths of the tendons.
void rest(const Vector2d& pulls, Eigen::Ref<VectorXd> y) {
  const VectorXd angles = solve(VectorXd::Zero(links), pulls, 0, VectorXd::Zero(2 * links));
  y << std::sqrt(mass) * ends(angles).first, -pulleys.transpose() * angles;
}

/// The arm in time, by implicit Euler; what is measured is its tip.
struct Arm {
  VectorXd first, angles = {}, now = {}, before = {};  // pulls; where the masses are, and were
  Vector2d reset() {
    angles = solve(VectorXd::Zero(links), first, 0, VectorXd::Zero(2 * links));
    return (before = now = ends(angles).first)(at_tip);
  }
  Vector2d step(const VectorXd& pulls) {
    for (int i = 0; i < 4; ++i) {
      angles = solve(angles, pulls, mass * (1 / part + damping) / part, now + (now - before) / (1 + damping * part));
      before = std::exchange(now, ends(angles).first);
    }
    return now(at_tip);
  }
};

int main() {
  using namespace quoin::planning;
  quoin::AdaptiveGrid<2> grid(quoin::exact_function_without_derivatives<2>(outputs, rest),
                              {.spacing = {4, 4}, .lower = {-4, -4}, .upper = {20, 20}});
  const auto shapes = grid.at_tolerance(1e-5);
  const quoin::ReducedDynamics<2, quoin::GridView<2>> model(shapes, 2 * links, {time_step, 1, 0, damping});
  const auto tip =
      shapes.linear_output(MatrixXd(MatrixXd::Identity(outputs, outputs))(at_tip, Eigen::all) / std::sqrt(mass));
  Eigen::Matrix2Xd path(2, 101);    // in 2 s, by pulls of 0 to 16 N that change by 40 N/s
  for (int i = 0; i <= 100; ++i) {  // a circle, ever larger
    const double t = i / 100.0, size = 0.015 * t * t * (3 - 2 * t);
    path.col(i) = Vector2d(0.11, -0.24) + size * Vector2d(std::cos(6.28 * t), std::sin(6.28 * t));
  }
  TrackingPlan plan = track({tracked_body(model, tip), path, Vector2d(0, 0), Vector2d(16, 16), Vector2d(40, 40)});
  std::printf("%s\n", plan.message.c_str());
  Arm arm{.first = plan.states.col(0).head<2>()};
  plan = learn(arm, plan);
  TrackingLoop loop(plan, {.noise = 5e-4});
  const auto blow = [](int i, Arm& hit) { hit.before[links - 1] -= i == 40 ? 0.0025 : 0; };  // 0.5 m/s
  const double alone = run(arm, plan, {.disturb = blow}).root_mean_square;
  const double held = run(arm, loop, {.noise = 5e-4, .disturb = blow}).root_mean_square;
  std::printf("off its path by %.2f mm, after learning %.3f mm\n", 1e3 * plan.history[0], 1e3 * plan.history[2]);
  std::printf("with a blow to its tip: %.2f mm, held by feedback %.2f mm\n", 1e3 * alone, 1e3 * held);
  return plan.history[2] < 0.5 * plan.history[0] && held < 0.8 * alone ? 0 : 1;
}
