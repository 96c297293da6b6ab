// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin;
using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;

TEST_CASE("transcription solves a bounded linear-quadratic problem to iLQR's solution") {
  auto problem = random_linear_problem(21, 5, 2, 15);
  problem.lower_control = Vector::Constant(2, -0.15);
  problem.upper_control = Vector::Constant(2, 0.2);
  const IlqrResult reference = ilqr(problem, Matrix::Zero(2, 15), {.relative_tolerance = 1e-14});
  REQUIRE(reference.converged());
  const TranscriptionResult result =
      ipopt_transcription(problem, {.controls = Matrix::Zero(2, 15)}, {.ipopt = {.tolerance = 1e-9}});
  REQUIRE(result.converged());
  CHECK(result.largest_defect < 1e-9);
  CHECK(result.trajectory.cost == Approx(reference.trajectory.cost).epsilon(1e-7));
  CHECK((result.trajectory.controls - reference.trajectory.controls).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("both solvers swing the cart-pole up from one start to the same cost, to 1e-7") {
  const auto problem = cart_pole_swing_up();
  const Matrix start = Matrix::Constant(1, problem.horizon, 0.1);
  const IlqrResult shooting = ilqr(problem, start, {.relative_tolerance = 1e-10});
  const TranscriptionResult result = ipopt_transcription(problem, {.controls = start}, {.ipopt = {.tolerance = 1e-6}});
  REQUIRE(shooting.converged());
  REQUIRE(result.converged());
  CHECK(result.largest_defect < 1e-8);
  CHECK(std::abs(shooting.trajectory.cost - result.trajectory.cost) < 1e-7);
  CHECK((shooting.trajectory.controls - result.trajectory.controls).cwiseAbs().maxCoeff() < 1e-2);
}

TEST_CASE("both solvers agree on the optimum of the car among discs, to 1e-6") {
  const auto problem = car_among_discs();
  const IlqrResult shooting =
      ilqr(problem, gentle_start(problem), {.relative_tolerance = 1e-10, .constraint_tolerance = 1e-8});
  REQUIRE(shooting.converged());
  // Each way around the discs, and each set of steps that touch one, has its own minimum: begin near the same one.
  const TranscriptionResult result = ipopt_transcription(problem, shooting.trajectory, {.ipopt = {.tolerance = 1e-8}});
  REQUIRE(result.converged());
  CHECK(std::abs(shooting.trajectory.cost - result.trajectory.cost) < 1e-6);
  CHECK(result.violation <= 1e-7);
  CHECK(result.largest_defect <= 1e-7);
  CHECK((result.trajectory.controls.array().abs() <= 2).all());
}

TEST_CASE("a warm start of the transcription needs a fraction of the iterations") {
  const auto problem = car_among_discs();
  const TranscriptionResult cold = ipopt_transcription(problem, {.controls = gentle_start(problem)});
  REQUIRE(cold.converged());
  const TranscriptionResult warm =
      ipopt_transcription(problem, cold.trajectory, {.ipopt = {.multipliers = cold.multipliers}});
  CHECK(warm.converged());
  CHECK(warm.iterations < cold.iterations / 2);
  CHECK(warm.trajectory.cost == Approx(cold.trajectory.cost).epsilon(1e-6));
}

TEST_CASE("state bounds keep the transcription inside the domain of its dynamics") {
  auto problem = car_among_discs();
  problem.constraints.discs.clear();
  problem.dynamics.max_speed = 1.35 + 0.2;
  problem.lower_state = (Vector(4) << -10, -10, -10, -1.35).finished();
  problem.upper_state = -problem.lower_state;
  const TranscriptionResult result = ipopt_transcription(problem, {.controls = gentle_start(problem)});
  INFO(to_string(result.stop));
  REQUIRE(result.converged());
  CHECK(result.trajectory.states.row(3).cwiseAbs().maxCoeff() <= 1.35);
  CHECK(result.violation <= 1e-7);
  const IlqrResult shooting = ilqr(problem, result.trajectory.controls);
  REQUIRE(shooting.converged());
  CHECK(shooting.trajectory.cost == Approx(result.trajectory.cost).epsilon(1e-4));
}

TEST_CASE(
    "under an active state bound the transcription converges to the tolerance asked for, in a tenth of its limit") {
  auto problem = car_among_discs();
  problem.constraints.discs.clear();
  problem.dynamics.max_speed = 1.2 + 0.2;
  problem.lower_state = (Vector(4) << -10, -10, -10, -1.2).finished();
  problem.upper_state = -problem.lower_state;
  const IlqrResult shooting =
      ilqr(problem, gentle_start(problem), {.relative_tolerance = 1e-10, .constraint_tolerance = 1e-8});
  REQUIRE(shooting.converged());
  for (const double tolerance : {1e-6, 1e-8}) {
    const TranscriptionResult result =
        ipopt_transcription(problem, {.controls = gentle_start(problem)}, {.ipopt = {.tolerance = tolerance}});
    INFO(to_string(result.stop) << " after " << result.iterations << " at " << tolerance);
    CHECK(result.converged());
    CHECK(result.iterations < 60);
    CHECK(result.largest_defect < 1e-7);
    CHECK(result.trajectory.states.row(3).cwiseAbs().maxCoeff() <= 1.2);
    CHECK(std::abs(result.trajectory.cost - shooting.trajectory.cost) < 20 * tolerance);
  }
  // Both solvers are at the optimum: it is theirs to the tolerance, whichever they began from.
  const TranscriptionResult near = ipopt_transcription(problem, shooting.trajectory, {.ipopt = {.tolerance = 1e-8}});
  CHECK(near.converged());
  CHECK(std::abs(near.trajectory.cost - shooting.trajectory.cost) < 1e-6);
}

TEST_CASE("a tolerance below Ipopt's acceptable level is met where it can be") {
  const auto problem = cart_pole_swing_up();
  const Matrix start = Matrix::Constant(1, problem.horizon, 0.1);
  for (const double tolerance : {1e-8, 1e-10}) {
    const TranscriptionResult result =
        ipopt_transcription(problem, {.controls = start}, {.ipopt = {.tolerance = tolerance}});
    INFO(to_string(result.stop) << " after " << result.iterations << " at " << tolerance);
    CHECK(result.converged());
  }
}

TEST_CASE("the transcription reports an infeasible linear problem as infeasible") {
  const Matrix one = Matrix::Identity(1, 1);
  const TrajectoryProblem<LinearDynamics, ReachGoal> problem{.dynamics = {one, one},
                                                             .residuals = {.goal = Vector::Zero(1)},
                                                             .horizon = 5,
                                                             .initial_state = Vector::Zero(1),
                                                             .lower_control = Vector::Constant(1, -0.1),
                                                             .upper_control = Vector::Constant(1, 0.1),
                                                             .lower_state = Vector::Ones(1)};
  const TranscriptionResult result = ipopt_transcription(problem, {.controls = Matrix::Zero(1, 5)});
  CHECK(result.stop == Stop::infeasible);
  CHECK(result.largest_defect > 0.1);
  const IlqrResult shooting = ilqr(problem, Matrix::Zero(1, 5));
  CHECK(shooting.stop == Stop::infeasible);
  CHECK(shooting.violation == Approx(0.9).margin(1e-3));
}

TEST_CASE("an infeasible nonlinear problem ends in restoration, and is never called converged") {
  auto problem = car_among_discs();
  problem.constraints.discs.clear();
  problem.lower_state = Vector::Constant(4, -std::numeric_limits<double>::infinity());
  problem.lower_state[0] = 1;
  const TranscriptionResult result =
      ipopt_transcription(problem, {.controls = gentle_start(problem)}, {.ipopt = {.max_iterations = 100}});
  CHECK_FALSE(result.converged());
  CHECK((result.stop == Stop::infeasible || result.in_restoration));
  CHECK(result.violation + result.largest_defect > 0.5);
}

TEST_CASE("the transcription stops by its observer, by its watchdog, and by its iteration limit") {
  const auto problem = car_among_discs();
  const Trajectory start{.controls = gentle_start(problem)};
  int calls = 0;
  const auto observed =
      ipopt_transcription(problem, start, {.observer = [&](const NlpIteration& seen, const Trajectory& trajectory) {
                            CHECK(seen.iteration == calls);
                            CHECK(trajectory.states.col(0) == problem.initial_state);
                            return ++calls < 3;
                          }});
  CHECK(observed.stop == Stop::stopped_by_observer);
  CHECK(calls == 3);
  CHECK(ipopt_transcription(problem, start, {.ipopt = {.max_seconds = 0}}).stop == Stop::time_limit);
  CHECK(ipopt_transcription(problem, start, {.ipopt = {.max_iterations = 2}}).stop == Stop::iteration_limit);
}

TEST_CASE("an exception of the dynamics passes through Ipopt") {
  CHECK_THROWS_WITH(ipopt_transcription(broken_car(), {.controls = Matrix::Zero(2, 10)}), "the dynamics broke");
  CHECK_THROWS_WITH(ipopt_transcription(broken_car(), {.controls = Matrix::Zero(2, 9)}), Catch::Contains("2 x 9"));
}
#endif
