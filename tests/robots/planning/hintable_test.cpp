// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/hintable.hpp"

#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/dynamics/control_memory.hpp"
#include "quoin/robots/dynamics/runge_kutta.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "quoin/robots/planning/control_rates.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "quoin/robots/planning/time_varying_lqr.hpp"
#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin;
using namespace quoin::planning;
using planning::test::Matrix;
using planning::test::Vector;

namespace {

auto gravity_and_drag() {
  return exact_function<2>(1,
                           [](const Point<2>& x, auto a, auto J) {
                             a[0] = -9.81 * std::sin(x[0]) - 0.1 * x[1] * std::abs(x[1]);
                             J << -9.81 * std::cos(x[0]), -0.2 * std::abs(x[1]);
                           },
                           {.concurrent = true});
}

/// x = (angle, rate), u an acceleration beside that of the map.
template <class Map>
struct Pendulum {
  Map map;
  Eigen::Index state_size() const { return 2; }
  Eigen::Index control_size() const { return 1; }
  void hint(const Matrix& states) const
    requires Hintable<Map>
  {
    map.hint(states);
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f) const {
    Matrix f_x, f_u;
    return rate(x, u, f, f_x, f_u);
  }
  StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& f_x, Matrix& f_u) const {
    Vector a;
    Matrix J;
    if (!quoin::try_evaluate<2>(map, x, a, J).has_value()) return StepStatus::map_failed;
    f = Eigen::Vector2d(x[1], a[0] + u[0]);
    f_x = (Matrix(2, 2) << 0, 1, J(0, 0), J(0, 1)).finished();
    f_u = Eigen::Vector2d(0, 1);
    return StepStatus::ok;
  }
};
using OnGrid = Pendulum<GridView<2>>;
using Exact = Pendulum<decltype(gravity_and_drag())>;
static_assert(Hintable<OnGrid> && Hintable<RungeKutta<OnGrid>> && Hintable<ControlMemory<RungeKutta<OnGrid>>>);
static_assert(!Hintable<Exact> && !Hintable<RungeKutta<Exact>> && !Hintable<ControlMemory<RungeKutta<Exact>>>);

constexpr int horizon = 30;

/// To the angle 1, at rest; the state may have more entries behind angle and rate.
struct Lift {
  bool residual(int i, const Vector& x, const Vector& u, Vector& r) const {
    r = i < horizon ? Vector(0.1 * u) : Vector(10 * (x.head<2>() - Eigen::Vector2d(1, 0)));
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx.setZero(i < horizon ? u.size() : 2, x.size());
    if (i == horizon) dx.diagonal().setConstant(10);
    du = 0.1 * Matrix::Identity(dx.rows(), u.size());
    return residual(i, x, u, r);
  }
};

template <class Dynamics>
auto lift(Dynamics dynamics) {
  const Eigen::Index states = dynamics.state_size();
  return TrajectoryProblem{.dynamics = std::move(dynamics),
                           .residuals = Lift{},
                           .horizon = horizon,
                           .initial_state = Vector::Zero(states),
                           .lower_control = Vector::Constant(1, -20),
                           .upper_control = Vector::Constant(1, 20)};
}

AdaptiveGrid<2> make_grid(bool ahead) {
  return AdaptiveGrid<2>(gravity_and_drag(), {.spacing = {0.2, 0.2}, .evaluate_ahead = ahead}, Threads{2});
}

RungeKutta<OnGrid> steps_on(const AdaptiveGrid<2>& grid) {
  return {{grid.at_level(0)}, 0.05, 1, std::numeric_limits<double>::infinity()};
}

/// What plan(grid) -> matrix asks for with and without being evaluated ahead.
struct Asked {
  Matrix plan;
  GridStatistics one_by_one = {}, ahead = {};
};
template <class Plan>
Asked compare(const Plan& plan) {
  const auto grid = make_grid(false), grid_ahead = make_grid(true);
  Asked asked{.plan = plan(grid)};
  const Matrix plan_ahead = plan(grid_ahead);
  CHECK(asked.plan.allFinite());
  CHECK(asked.plan == plan_ahead);
  asked.one_by_one = grid.statistics();
  asked.ahead = grid_ahead.statistics();
  CAPTURE(asked.one_by_one.batches, asked.ahead.batches, asked.one_by_one.exact_evaluations,
          asked.ahead.exact_evaluations);
  CHECK(asked.ahead.exact_evaluations - asked.ahead.unused_corners == asked.one_by_one.exact_evaluations);
  return asked;
}

Matrix states_of(const Trajectory& trajectory) {
  Matrix all(trajectory.states.rows() + 1, horizon + 1);
  all << trajectory.states, trajectory.controls, 0;
  return all;
}

}  // namespace

TEST_CASE("linearization asks for the corners at the states of a motion in one batch") {
  const Matrix states =
      (Matrix(2, 41) << Eigen::RowVectorXd::LinSpaced(41, -2, 3), Eigen::RowVectorXd::LinSpaced(41, 1, -4)).finished();
  const Asked asked = compare([&](const AdaptiveGrid<2>& grid) {
    const LinearizedMotion linear = linearize_along(steps_on(grid), states, Matrix::Zero(1, 40));
    Matrix all(2, 80);
    for (int i = 0; i < 40; ++i) all.middleCols<2>(2 * i) = linear.A[static_cast<std::size_t>(i)];
    return all;
  });
  CHECK(asked.one_by_one.batches > 30);
  CHECK(3 * asked.ahead.batches < 2 * asked.one_by_one.batches);  // a step of Runge and Kutta asks beside its state too
}

TEST_CASE("iLQR tells dynamics behind Runge-Kutta and a memory where its line search will lead") {
  const Asked asked = compare([&](const AdaptiveGrid<2>& grid) {
    const auto result = ilqr(lift(ControlMemory(steps_on(grid))), Matrix::Zero(1, horizon));
    CHECK(result.converged());
    return states_of(result.trajectory);
  });
  CHECK(asked.one_by_one.batches > 10);
  CHECK(asked.ahead.batches < asked.one_by_one.batches);
}

#ifdef QUOIN_HAS_IPOPT
TEST_CASE("transcription asks for the corners of all its states in one batch") {
  const Asked asked = compare([&](const AdaptiveGrid<2>& grid) {
    const auto result = ipopt_transcription(lift(steps_on(grid)), {.controls = Matrix::Constant(1, horizon, 5)});
    CHECK(result.converged());
    return states_of(result.trajectory);
  });
  CHECK(asked.one_by_one.batches > 20);
  CHECK(asked.ahead.batches < asked.one_by_one.batches / 2);
}

TEST_CASE("collocation asks for the corners of all its nodes in one batch, also where controls have rates") {
  for (const bool control_rates : {false, true}) {
    const Asked asked = compare([&](const AdaptiveGrid<2>& grid) {
      const NodeDynamics pendulum = node_dynamics(OnGrid{grid.at_level(0)});
      CollocationProblem problem{.dynamics = control_rates ? with_control_rates(pendulum) : pendulum,
                                 .times = Vector::LinSpaced(21, 0, 1.5),
                                 .running_cost = effort(Matrix::Identity(1, 1))};
      const Eigen::Index states = problem.dynamics.state_size;
      problem.initial_state = Vector::Zero(states);
      Vector goal = Vector::Zero(states);  // with rates: (u, angle, rate)
      goal[states - 2] = 1;
      problem.boundary = [goal](const Vector& x, Vector& h, Matrix& dx) {
        h = (x - goal).tail<2>();
        dx.setZero(2, x.size());
        dx.rightCols<2>().setIdentity();
        return true;
      };
      problem.lower_boundary = problem.upper_boundary = Vector::Zero(2);
      const CollocationPlan plan = collocation(problem, straight_guess(problem, goal));
      CHECK(plan.stop == Stop::converged);
      return plan.states;
    });
    CHECK(asked.one_by_one.batches > 10);
    CHECK(asked.ahead.batches < asked.one_by_one.batches / 2);
  }
}
#endif
