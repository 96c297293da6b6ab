// SPDX-License-Identifier: BSD-3-Clause
// The plan of the example plan_with_ilqr, of dynamics that pass on where they will be asked.
#include "benchmarks/evaluators/rounds.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/planning/ilqr.hpp"

#include <cmath>
#include <numbers>

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using quoin::StepStatus;

/// Steps of 50 ms over any map from (angle, rate) to the acceleration that gravity and drag give: a DiscreteDynamics.
template <class Map>
struct Pendulum {
  Map map;

  Eigen::Index state_size() const { return 2; }    // angle, 0 where it hangs, and rate
  Eigen::Index control_size() const { return 1; }  // acceleration by the motor

  /// The planner foresees states: a grid may evaluate what they need ahead, together (docs/evaluators.md).
  void hint(const MatrixXd& states) const
    requires quoin::Hintable<Map>
  {
    map.hint(states);
  }

  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next) const {
    MatrixXd dx, du;
    return step(x, u, next, dx, du);
  }
  StepStatus step(const VectorXd& x, const VectorXd& u, VectorXd& next, MatrixXd& dx, MatrixXd& du) const {
    VectorXd a;
    MatrixXd J;
    if (!quoin::try_evaluate<2>(map, x, a, J).has_value()) return StepStatus::map_failed;
    const double h = 0.05, rate = x[1] + h * (a[0] + u[0]);  // semi-implicit Euler
    next = Eigen::Vector2d(x[0] + h * rate, rate);
    dx = (Eigen::Matrix2d() << 1 + h * h * J(0, 0), h + h * h * J(0, 1), h * J(0, 0), 1 + h * J(0, 1)).finished();
    du = Eigen::Vector2d(h * h, h);
    return StepStatus::ok;
  }
};

constexpr int horizon = 80;

/// Little force on the way, upright and at rest at the end: StageResiduals; the cost is half their square.
struct SwingUp {
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r) const {
    if (i < horizon)
      r = 0.1 * u;
    else
      r = 30 * (x - Eigen::Vector2d(std::numbers::pi, 0));
    return true;
  }
  bool residual(int i, const VectorXd& x, const VectorXd& u, VectorXd& r, MatrixXd& dx, MatrixXd& du) const {
    dx = (i < horizon ? 0 : 30) * MatrixXd::Identity(i < horizon ? 1 : 2, 2);
    du = 0.1 * MatrixXd::Identity(i < horizon ? 1 : 2, u.size());
    return residual(i, x, u, r);
  }
};

/// The swing-up by a motor of at most 4 rad/s^2, against up to 9.81 of gravity.
template <class Map>
auto swing_up(const Map& map) {
  return quoin::planning::TrajectoryProblem{.dynamics = Pendulum<Map>{map},
                                            .residuals = SwingUp{},
                                            .horizon = horizon,
                                            .initial_state = Eigen::Vector2d(0, 0),
                                            .lower_control = VectorXd::Constant(1, -4),
                                            .upper_control = VectorXd::Constant(1, 4)};
}

/// Planned on ever finer views of a grid.
auto swing_up_through(quoin::AdaptiveGrid<2>& grid) {
  const auto solve = [](const quoin::GridView<2>& view, const MatrixXd& controls) {
    const auto plan = quoin::planning::ilqr(swing_up(view), controls);
    return quoin::SolverResult<MatrixXd>{plan.trajectory.controls, plan.trajectory.cost, plan.converged()};
  };
  const MatrixXd guess = MatrixXd::Constant(1, horizon, 0.1);  // zero is an equilibrium: no direction is better
  return quoin::interleave(grid, solve, guess, {.schedule = quoin::Levels{.first = 0, .last = 2}});
}

auto gravity_and_drag() {
  return quoin::exact_function<2>(1,
                                  [](const quoin::Point<2>& x, auto a, auto J) {  // imagine a flow solver
                                    a[0] = -9.81 * std::sin(x[0]) - 0.1 * x[1] * std::abs(x[1]);
                                    J << -9.81 * std::cos(x[0]), -0.2 * std::abs(x[1]);
                                  },
                                  {.concurrent = true});
}

}  // namespace

namespace benchmarks::rounds {

PlanRounds pendulum(bool ahead) {
  quoin::AdaptiveGrid<2> grid(gravity_and_drag(), {.spacing = {0.8, 0.8}, .evaluate_ahead = ahead}, quoin::Threads{});
  const auto plan = swing_up_through(grid);
  return {"plan_with_ilqr", "spacing 0.8 to 0.2", ahead, grid.statistics(), plan.cost};
}

}  // namespace benchmarks::rounds
