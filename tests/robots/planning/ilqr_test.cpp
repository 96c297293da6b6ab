// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/optimization/box_qp.hpp"
#include "testing/robots/planning_problems.hpp"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

Vector stacked(const Matrix& controls) { return controls.reshaped(); }

}  // namespace

TEST_CASE("iLQR solves a linear-quadratic problem in its first iteration, to the dense least squares solution") {
  for (unsigned seed : {1u, 2u, 3u}) {
    const auto problem = random_linear_problem(seed, 6, 3, 20);
    const DenseProblem ls = dense(problem);
    const Matrix H = ls.J.transpose() * ls.J;
    const Vector expected = H.llt().solve(-ls.J.transpose() * ls.r0);
    const IlqrResult result = ilqr(problem, Matrix::Zero(3, 20));
    CHECK(result.stop == Stop::converged);
    CHECK(result.iterations == 1);
    CHECK((stacked(result.trajectory.controls) - expected).norm() < 1e-10 * expected.norm());
    CHECK(result.trajectory.cost == Approx(0.5 * (ls.J * expected + ls.r0).squaredNorm()).epsilon(1e-12));
  }
}

TEST_CASE("iLQR with active control bounds satisfies the optimality conditions of the dense box problem") {
  for (unsigned seed : {4u, 5u, 6u}) {
    auto problem = random_linear_problem(seed, 5, 2, 15);
    problem.lower_control = Vector::Constant(2, -0.15);
    problem.upper_control = Vector::Constant(2, 0.2);
    const DenseProblem ls = dense(problem);
    const Matrix H = ls.J.transpose() * ls.J;
    const Vector g = ls.J.transpose() * ls.r0;
    Vector expected = Vector::Zero(30);
    BoxQp qp;
    REQUIRE(qp.solve(H, g, Vector::Constant(30, -0.15), Vector::Constant(30, 0.2), expected) == BoxQpStatus::optimal);
    CHECK(qp.free().size() < 28);
    const IlqrResult result = ilqr(problem, Matrix::Zero(2, 15), {.relative_tolerance = 0});
    INFO("seed " << seed << ", " << result.iterations << " iterations, " << to_string(result.stop));
    CHECK(result.converged());
    CHECK((stacked(result.trajectory.controls) - expected).norm() < 1e-10);
    CHECK(result.iterations <= 15);
  }
}

TEST_CASE("bounds that an unstable system keeps meeting cost iLQR no further iterations, for a quadratic cost") {
  for (unsigned seed : {7u, 8u, 9u}) {
    auto problem = random_linear_problem(seed, 8, 4, 100);
    problem.lower_control = Vector::Constant(4, -0.1);
    problem.upper_control = Vector::Constant(4, 0.1);
    const IlqrResult result = ilqr(problem, Matrix::Zero(4, 100));
    const auto held = (result.trajectory.controls.array().abs() == 0.1).count();
    INFO("seed " << seed << ", " << result.iterations << " iterations, " << held << " controls at bounds");
    CHECK(result.converged());
    CHECK(held >= 20);
    CHECK(result.iterations <= 8);
  }
}

TEST_CASE("a cart-pole with little force converges to the cost of exact Hessians") {
  auto problem = cart_pole_swing_up();
  problem.horizon = 150;
  problem.lower_control = Vector::Constant(1, -8);
  problem.upper_control = Vector::Constant(1, 8);
  const IlqrResult result =
      ilqr(problem, Matrix::Constant(1, 150, 0.1), {.max_iterations = 300, .relative_tolerance = 1e-9});
  const IlqrResult exact = ilqr(problem, result.trajectory.controls, {.relative_tolerance = 0, .exact_hessians = true});
  INFO(result.iterations << " iterations, cost " << result.trajectory.cost << ", exact " << exact.trajectory.cost);
  REQUIRE(result.converged());
  CHECK(result.trajectory.cost < exact.trajectory.cost * (1 + 1e-6));
}

TEST_CASE("the adjoint gradient of the cost has a Taylor remainder of second order") {
  const auto problem = car_among_discs();
  std::mt19937 generator(3);
  const Matrix controls = random_matrix(generator, 2, problem.horizon);
  const Matrix direction = random_matrix(generator, 2, problem.horizon);
  const CostGradient at = cost_gradient(problem, controls);
  REQUIRE(at.gradient.cols() == problem.horizon);
  const double slope = (at.gradient.array() * direction.array()).sum();
  std::vector<double> remainders;
  for (double step : {0.04, 0.02, 0.01, 0.005}) {
    const double cost = roll_out(problem, controls + step * direction).trajectory.cost;
    remainders.push_back(std::abs(cost - at.rollout.trajectory.cost - step * slope));
  }
  for (std::size_t i = 1; i < remainders.size(); ++i) {
    const double order = std::log2(remainders[i - 1] / remainders[i]);
    CHECK(order > 1.8);
    CHECK(order < 2.2);
  }
}

TEST_CASE("iLQR steers a car around discs: stationary, and every constraint holds to its tolerance") {
  const auto problem = car_among_discs();
  const IlqrResult result = ilqr(problem, gentle_start(problem));
  INFO(result.iterations << " iterations, cost " << result.trajectory.cost << ", " << to_string(result.stop));
  REQUIRE(result.converged());
  CHECK(result.violation <= 1e-6);
  CHECK(result.iterations < 120);
  const Rollout again = roll_out(problem, result.trajectory.controls);
  CHECK(again.violation <= 1e-6);
  CHECK(again.trajectory.cost == result.trajectory.cost);
  CHECK((again.trajectory.states - result.trajectory.states).norm() == 0);
  CHECK((result.trajectory.controls.array().abs() <= 2).all());
  auto open = problem;
  open.constraints.discs.clear();
  CHECK(ilqr(open, gentle_start(problem)).trajectory.cost < result.trajectory.cost);
}

TEST_CASE("iLQR swings a cart-pole up within force bounds, with and without derivatives in the trial, to one cost") {
  const auto problem = cart_pole_swing_up();
  const Matrix start = Matrix::Constant(1, problem.horizon, 0.1);
  const IlqrResult result = ilqr(problem, start, {.max_iterations = 500, .derivatives_in_trial = false, .threads = 2});
  INFO(result.iterations << " iterations, cost " << result.trajectory.cost << ", " << to_string(result.stop));
  REQUIRE(result.converged());
  CHECK(result.trajectory.states.col(problem.horizon).norm() < 0.2);
  CHECK((result.trajectory.controls.array().abs() <= 20).all());
  const IlqrResult early = ilqr(problem, start, {.max_iterations = 500});
  CHECK(early.iterations == result.iterations);
  CHECK(early.trajectory.cost == result.trajectory.cost);
  CHECK(early.dynamics_calls + early.derivative_calls < result.dynamics_calls + result.derivative_calls);
}

/// A cart-pole whose steps err by up to 1e-7, otherwise at each state, as those on a surrogate do.
struct UnevenCartPole : CartPoleDynamics {
  double phase = 0;
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    const StepStatus status = CartPoleDynamics::step(x, u, next, dx, du);
    for (double& entry : next) entry += 1e-7 * std::sin(1e9 * entry + phase);
    return status;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    Matrix dx, du;
    return step(x, u, next, dx, du);
  }
};

TEST_CASE("where unevenness leaves no step that lowers the cost, a minimum is converged") {
  const auto smooth = cart_pole_swing_up();
  const IlqrResult result = ilqr(smooth, Matrix::Constant(1, smooth.horizon, 0.1), {.max_iterations = 500});
  REQUIRE(result.converged());
  TrajectoryProblem<UnevenCartPole, ReachGoal> uneven{.dynamics = {},
                                                      .residuals = smooth.residuals,
                                                      .horizon = smooth.horizon,
                                                      .initial_state = smooth.initial_state,
                                                      .lower_control = smooth.lower_control,
                                                      .upper_control = smooth.upper_control};
  // From the minimum, damped steps promise less than the unevenness hides.
  const IlqrOptions damped{.relative_tolerance = 1e-4, .initial_regularization = 10};
  for (uneven.dynamics.phase = 0; uneven.dynamics.phase < 6; uneven.dynamics.phase += 0.3) {
    const IlqrResult again = ilqr(uneven, result.trajectory.controls, damped);
    INFO("phase " << uneven.dynamics.phase << ": " << again.iterations << " iterations, " << to_string(again.stop));
    CHECK(again.converged());
    CHECK(again.trajectory.cost == Approx(result.trajectory.cost).epsilon(1e-4));
  }
}

TEST_CASE("a rollout that leaves the domain shortens the step instead of ending the solve") {
  auto problem = car_among_discs();
  problem.constraints.discs.clear();
  const IlqrResult free = ilqr(problem, gentle_start(problem));
  REQUIRE(free.converged());
  const double fastest = free.trajectory.states.row(3).maxCoeff();
  problem.dynamics.max_speed = 1.3 * fastest;
  const IlqrResult limited = ilqr(problem, Matrix::Zero(2, problem.horizon), {.max_iterations = 500});
  INFO(to_string(limited.stop) << " after " << limited.iterations);
  CHECK(limited.converged());
  CHECK(limited.trajectory.cost == Approx(free.trajectory.cost).epsilon(1e-6));
  bool shortened = false;
  for (const IlqrIteration& entry : limited.log) shortened = shortened || (entry.step > 0 && entry.step < 1);
  CHECK(shortened);
  CHECK(limited.trajectory.states.row(3).maxCoeff() <= 1.3 * fastest);
}

TEST_CASE("initial controls that cannot be rolled out are reported with the step and its status") {
  auto problem = car_among_discs();
  problem.dynamics.max_speed = 0.99;
  Matrix start = Matrix::Zero(2, problem.horizon);
  start.row(1).setConstant(1);
  const IlqrResult result = ilqr(problem, start);
  CHECK(result.stop == Stop::initial_failed);
  CHECK(result.failed_step == 9);
  CHECK(result.failed_status == StepStatus::outside_domain);
  CHECK(std::isinf(result.trajectory.cost));
}

namespace {

/// Two controls, one coordinate of the shape: its Jacobian has rank 1 everywhere. Outputs [q (1); l (2)].
struct OneCoordinate {
  Eigen::Index output_size() const { return 3; }
  Answer evaluate(const Point<2>& a, Vector& y) const {
    Matrix J;
    return evaluate(a, y, J);
  }
  Answer evaluate(const Point<2>& a, Vector& y, Matrix& J) const {
    J.resize(3, 2);
    J << 1, 2, -1, 0, 0, -1;
    y = J * a;
    return {.trust = Trust::exact};
  }
};

/// The squares of state and control.
struct Squares {
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    r.resize(x.size() + u.size());
    r << x, u;
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx.setIdentity(x.size() + u.size(), x.size());
    du.setZero(x.size() + u.size(), u.size());
    du.bottomRows(u.size()).setIdentity();
    return residual(i, x, u, r);
  }
};

}  // namespace

TEST_CASE("a singular reduced mass is what the planner reports") {
  using Arm = ReducedDynamics<2, OneCoordinate>;
  const auto plan_with = [](double mass_tolerance) {
    const TrajectoryProblem<Arm, Squares> problem{
        .dynamics = Arm(OneCoordinate(), 1, {.time_step = 0.5, .mass_tolerance = mass_tolerance}),
        .residuals = {},
        .horizon = 5,
        .initial_state = Eigen::Vector4d::Constant(0.5)};
    return ilqr(problem, Matrix::Zero(2, 5));
  };
  const IlqrResult result = plan_with(1e-13);
  CHECK(result.stop == Stop::initial_failed);
  CHECK(result.failed_step == 0);
  CHECK(result.failed_status == StepStatus::singular);
  CHECK(plan_with(0).converged());  // the stiffness alone makes every step solvable
}

TEST_CASE("state bounds hold to the tolerance, and bind") {
  auto problem = car_among_discs();
  problem.constraints.discs.clear();
  problem.upper_state = Vector::Constant(4, std::numeric_limits<double>::infinity());
  problem.upper_state[3] = 1.15;
  const IlqrResult result = ilqr(problem, gentle_start(problem));
  INFO(to_string(result.stop) << " after " << result.iterations);
  REQUIRE(result.converged());
  CHECK(result.trajectory.states.row(3).maxCoeff() <= 1.15 + 1e-6);
  CHECK(result.trajectory.states.row(3).maxCoeff() >= 1.15 - 1e-5);
  // A violation v of a constraint with multiplier lambda changes the cost by lambda v.
  const double slack = 1e-6 * result.multipliers.upper_state.sum() + 1e-6 * result.trajectory.cost;
  const IlqrResult again = ilqr(problem, result.trajectory.controls, {.multipliers = result.multipliers});
  REQUIRE(again.converged());
  CHECK(again.iterations < result.iterations / 3);
  CHECK(std::abs(again.trajectory.cost - result.trajectory.cost) <= slack);
}

TEST_CASE("an infeasible problem is reported as violating its constraints, with the violation") {
  auto problem = car_among_discs();
  problem.constraints.discs = {{0.05, 0.0, 1.0}};
  const IlqrResult result = ilqr(problem, gentle_start(problem), {.max_iterations = 3000});
  CHECK(result.stop == Stop::infeasible);
  CHECK(result.violation > 0.5);
}

TEST_CASE("the observer sees each iteration and stops the solve") {
  const auto problem = cart_pole_swing_up();
  int calls = 0;
  double last = 1e300;
  IlqrOptions options;
  options.observer = [&](const IlqrIteration& entry, const Trajectory& trajectory) {
    CHECK(entry.iteration == calls);
    CHECK(trajectory.states.cols() == problem.horizon + 1);
    CHECK(trajectory.cost == entry.cost);
    CHECK(entry.merit <= last);
    last = entry.merit;
    return ++calls < 4;
  };
  const IlqrResult result = ilqr(problem, Matrix::Zero(1, problem.horizon), options);
  CHECK(result.stop == Stop::stopped_by_observer);
  CHECK(result.iterations == 3);
  CHECK(result.log.size() == 4);
}

TEST_CASE("an iteration limit returns the best point so far, and says so") {
  const auto problem = cart_pole_swing_up();
  const Matrix start = Matrix::Constant(1, problem.horizon, 0.1);
  const IlqrResult result = ilqr(problem, start, {.max_iterations = 2});
  CHECK(result.stop == Stop::iteration_limit);
  CHECK(result.trajectory.cost < roll_out(problem, start).trajectory.cost);
}

TEST_CASE("control memory feeds the last control to the cost, with derivatives") {
  const ControlMemory memory(CarDynamics{});
  const Vector x0 = memory.join(Vector::Ones(4), Vector::Zero(2));
  Vector u = (Vector(2) << 0.3, -0.4).finished(), next, shifted;
  Matrix dx, du;
  REQUIRE(memory.step(x0, u, next, dx, du) == StepStatus::ok);
  CHECK(next.tail(2) == u);
  for (int j = 0; j < 8; ++j) {
    std::vector<double> remainders;
    for (double step : {1e-2, 5e-3}) {
      Vector x = x0, v = u;
      (j < 6 ? x[j] : v[j - 6]) += step;
      memory.step(x, v, shifted);
      remainders.push_back((shifted - next - step * (j < 6 ? dx.col(j) : du.col(j - 6))).norm());
    }
    if (remainders[0] > 1e-12) CHECK(std::log2(remainders[0] / remainders[1]) == Approx(2).margin(0.2));
  }
  CHECK_THROWS_AS(memory.join(Vector::Ones(3), Vector::Zero(2)), std::invalid_argument);
}

TEST_CASE("problems that do not fit together are refused with their numbers") {
  auto problem = car_among_discs();
  CHECK_THROWS_WITH(ilqr(problem, Matrix::Zero(2, 49)), Catch::Contains("2 x 49"));
  problem.lower_control = Vector::Constant(2, 3);
  CHECK_THROWS_WITH(ilqr(problem, Matrix::Zero(2, 50)), Catch::Contains("are 3 and 2"));
  problem = car_among_discs();
  problem.initial_state.resize(3);
  CHECK_THROWS_AS(ilqr(problem, Matrix::Zero(2, 50)), std::invalid_argument);
}

TEST_CASE("an exception of the dynamics passes through, from helper threads too") {
  CHECK_THROWS_WITH(ilqr(broken_car(), Matrix::Zero(2, 10), {.threads = 2}), "the dynamics broke");
}

static_assert(DiscreteDynamics<ControlMemory<CarDynamics>>);
static_assert(StageResiduals<ReachGoal> && !StageResiduals<CarDynamics>);
static_assert(StageConstraints<AvoidDiscs> && StageConstraints<NoConstraints> && !StageConstraints<ReachGoal>);
