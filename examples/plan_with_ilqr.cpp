// SPDX-License-Identifier: BSD-3-Clause
// A plan with iLQR on dynamics through a grid: a pendulum swings up, its motor too weak to lift it at once. The planner
// runs within interleave, and the plan is judged on the model itself. With quoin installed:
//   g++ -std=c++20 -O2 examples/plan_with_ilqr.cpp $(pkg-config --cflags eigen3) -lquoin_planning -lquoin_optimization
#include <quoin/quoin.hpp>
#include <quoin/robots/dynamics/autodiff_steps.hpp>
#include <quoin/robots/planning/autodiff_stages.hpp>
#include <quoin/robots/planning/ilqr.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr int horizon = 80;

/// The swing-up over any map from (angle, rate) to the acceleration that gravity and drag give, by a motor of at most
/// 4 rad/s^2, against up to 9.81 of gravity. Derivatives come from Eigen's AutoDiff.
template <class Map>
auto swing_up(const Map& map) {
  const quoin::AutodiffSteps pendulum(2, 1, [map](const auto& x, const auto& u, auto& next) {  // of 50 ms
    next[1] = x[1] + 0.05 * (quoin::values_at<2>(map, x)[0] + u[0]);
    next[0] = x[0] + 0.05 * next[1];  // angle, 0 where it hangs
  });
  // Little force on the way, upright and at rest at the end; the cost is half their square.
  const quoin::planning::AutodiffStages upright([](int i, const auto& x, const auto& u, auto& r) {
    if (i < horizon)
      r = 0.1 * u;
    else
      r = 30 * (x - Eigen::Vector2d(std::numbers::pi, 0));
  });
  return quoin::planning::TrajectoryProblem{.dynamics = pendulum,
                                            .residuals = upright,
                                            .horizon = horizon,
                                            .initial_state = Eigen::Vector2d(0, 0),
                                            .lower_control = VectorXd::Constant(1, -4),
                                            .upper_control = VectorXd::Constant(1, 4)};
}

int main() {
  const auto f = quoin::autodiff<2>(1, [](const auto& x, auto& a) {  // imagine a flow solver
    a[0] = -9.81 * sin(x[0]) - 0.1 * x[1] * abs(x[1]);
  });
  quoin::AdaptiveGrid<2> grid(f, {.spacing = {0.8, 0.8}});
  const auto solve = [](const quoin::GridView<2>& view, const MatrixXd& controls) {
    const auto plan = quoin::planning::ilqr(swing_up(view), controls);
    return quoin::SolverResult<MatrixXd>{plan.trajectory.controls, plan.trajectory.cost, plan.converged()};
  };
  const MatrixXd guess = MatrixXd::Constant(1, horizon, 0.1);  // zero is an equilibrium: no direction is better
  const auto plan = quoin::interleave(grid, solve, guess, {.schedule = quoin::Levels{.first = 0, .last = 2}});
  for (const quoin::Round& round : plan.rounds)
    std::printf("level %d: cost %.3f, %zu new calls of f\n", round.level, round.cost, round.exact_evaluations);

  const auto judged = quoin::planning::roll_out(swing_up(f), plan.iterate);
  const VectorXd end = judged.trajectory.states.rightCols(1);
  std::printf("on f itself: cost %.3f, angle at the end %.4f, rate %.4f\n", judged.trajectory.cost, end[0], end[1]);
  const bool upright = (end - Eigen::Vector2d(std::numbers::pi, 0)).norm() < 0.05;
  return plan.stop == quoin::InterleaveStop::converged && upright && plan.iterate.cwiseAbs().maxCoeff() <= 4 ? 0 : 1;
}
