// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of ilqr promises, asked over drawn robots whose obvious guesses are saddles.
#include "quoin/robots/planning/ilqr.hpp"
#include "robots/planning/minimum_judge.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/planning_problems.hpp"
#include "testing/robots/swing_ups.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// The least cost that exact Hessians find from random controls of several sizes.
double best_known(const SwingUp& problem, unsigned seed) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned k = 0; k < 3; ++k) {
    std::mt19937 generator(seed * 31 + k);
    const Matrix guess = 0.5 * (k + 1) * random_matrix(generator, problem.dynamics.control_size(), problem.horizon);
    const IlqrOptions options{.max_iterations = 500, .relative_tolerance = 1e-10, .exact_hessians = true};
    best = std::min(best, ilqr(problem, guess, options).trajectory.cost);
  }
  return best;
}

/// Steps by the control to one of two wells, a unit away, at the end.
struct Wells {
  double unit;

  Eigen::Index state_size() const { return 1; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    next = x + u;
    return StepStatus::ok;
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    dx = du = Matrix::Identity(1, 1);
    return step(x, u, next);
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r) const {
    const double z = x[0] / unit;
    r = i < 4 ? Vector(0.1 / unit * u) : Vector::Constant(1, 1 - z * z);
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx = Matrix::Constant(1, 1, i < 4 ? 0 : -2 * x[0] / (unit * unit));
    du = Matrix::Constant(1, u.size(), 0.1 / unit);
    return residual(i, x, u, r);
  }
};

}  // namespace

TEST_CASE("a saddle is left in whatever unit states and controls are") {
  for (const double unit : {1e-9, 1e-6, 1e-5, 1e-3, 1., 1e3, 1e6, 1e9}) {
    for (const double from : {0., 1e-3}) {
      const TrajectoryProblem problem{.dynamics = Wells{unit},
                                      .residuals = Wells{unit},
                                      .horizon = 4,
                                      .initial_state = Vector::Constant(1, from * unit)};
      const IlqrResult plan = ilqr(problem, Matrix::Zero(1, 4));
      CAPTURE(unit, from, to_string(plan.stop), plan.trajectory.cost);
      CHECK(plan.converged());
      CHECK(plan.trajectory.cost < 0.002);  // 0.5 at the saddle
    }
  }
}

TEST_CASE("of drawn swing-ups and reaches none that is called converged is a saddle or far from its basin's optimum") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(40);
  int converged = 0, found = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const SwingUp problem = drawn_swing_up(seed);
    const IlqrResult plan = ilqr(problem, drawn_guess(problem, seed));
    CAPTURE(seed, static_cast<int>(problem.residuals.rates.robot), to_string(plan.stop), plan.iterations,
            plan.trajectory.cost);
    if (plan.trajectory.cost <= 1.001 * best_known(problem, seed)) ++found;
    if (!plan.converged()) continue;
    ++converged;
    const Judgement judgement = judge(problem, plan.trajectory.controls, problem.residuals.effort);
    CAPTURE(judgement.least_curvature);
    CHECK(judgement.decrease < 7e-7);  // docs: six relative tolerances; the judge has differences of its own
  }
  INFO(converged << " of " << draws << " converged, " << found << " at the least cost that is known");
  CHECK(10 * converged >= 9 * draws);
  CHECK(20 * found >= 17 * draws);  // 91 of 100; 81 where the first descent is taken: swing-ups have several minima
}

TEST_CASE("without the check of curvature a guess at a saddle is converged, as the model has it") {
  const SwingUp problem = drawn_swing_up(1);
  const Matrix guess = Matrix::Zero(1, problem.horizon);
  const IlqrResult trusting = ilqr(problem, guess, {.check_curvature = false});
  CHECK(trusting.converged());
  CHECK(trusting.iterations == 0);
  const IlqrResult plan = ilqr(problem, guess);
  CHECK(plan.converged());
  CHECK(plan.trajectory.cost < 0.1 * trusting.trajectory.cost);
}

TEST_CASE("exploring a saddle finds a lower minimum more often than the first descent, with an honest log") {
  int lower = 0, higher = 0;
  for (const unsigned seed : {2u, 10u, 18u, 24u, 26u, 34u, 36u, 48u}) {  // acrobots and pendulums at saddles
    const SwingUp problem = drawn_swing_up(seed);
    const Matrix guess = drawn_guess(problem, seed);
    const IlqrResult first = ilqr(problem, guess, {.explore_saddle = false}), best = ilqr(problem, guess);
    CAPTURE(seed, first.trajectory.cost, best.trajectory.cost, best.iterations);
    if (best.trajectory.cost < 0.999 * first.trajectory.cost) ++lower;
    if (best.trajectory.cost > 1.001 * first.trajectory.cost) ++higher;
    REQUIRE(best.log.size() == static_cast<std::size_t>(best.iterations) + 1);
    for (std::size_t k = 1; k < best.log.size(); ++k) {
      CHECK(best.log[k].iteration == static_cast<int>(k));
      CHECK(best.log[k].merit <= best.log[k - 1].merit);
    }
    CHECK(best.log.back().cost == best.trajectory.cost);
    int seen = 0;  // an observer may stop between two descents, with the lowest so far
    const IlqrResult stopped =
        ilqr(problem, guess, {.observer = [&](const IlqrIteration&, const Trajectory&) { return ++seen < 40; }});
    if (stopped.stop == Stop::stopped_by_observer) CHECK(stopped.log.back().cost == stopped.trajectory.cost);
  }
  INFO(lower << " lower, " << higher << " higher");
  CHECK(lower > higher);
}

/// A mass whose steps fail as soon as it leaves its place, however little.
struct PinnedBall {
  Eigen::Index state_size() const { return 1; }
  Eigen::Index control_size() const { return 1; }
  StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
    Matrix dx, du;
    return step(x, u, next, dx, du);
  }
  StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
    next = x + u;
    dx = du = Matrix::Identity(1, 1);
    return std::abs(x[0]) > 1e-4 ? StepStatus::outside_domain : StepStatus::ok;
  }
};

/// Half the square of 1 - x^2: the middle is a top.
struct DoubleWell {
  bool residual(int, const Vector& x, const Vector& u, Vector& r) const {
    r = u.size() > 0 ? Vector(0.01 * u) : Vector(Vector::Ones(1) - x.cwiseAbs2());
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx = u.size() > 0 ? Matrix(Matrix::Zero(1, 1)) : Matrix(-2 * x);
    du = u.size() > 0 ? Matrix(0.01 * Matrix::Identity(1, 1)) : Matrix(1, 0);
    return residual(i, x, u, r);
  }
};

TEST_CASE("a top from which rollouts fail in every direction is not called converged") {
  const TrajectoryProblem<PinnedBall, DoubleWell> problem{
      .dynamics = {}, .residuals = {}, .horizon = 3, .initial_state = Vector::Zero(1)};
  const IlqrResult plan = ilqr(problem, Matrix::Zero(1, 3));
  INFO(to_string(plan.stop) << ", cost " << plan.trajectory.cost << ", " << plan.iterations << " iterations");
  CHECK_FALSE(plan.converged());
  CHECK(plan.stop != Stop::iteration_limit);
}

TEST_CASE("options of ilqr that mean nothing are refused with their name and value") {
  const SwingUp problem = drawn_swing_up(1);
  const Matrix guess = Matrix::Zero(1, problem.horizon);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [&](const IlqrOptions& options, const std::string& what) {
    CHECK_THROWS_AS(ilqr(problem, guess, options), std::invalid_argument);
    CHECK_THROWS_WITH(ilqr(problem, guess, options), Catch::Contains(what));
  };
  refused({.max_iterations = -1}, "max_iterations = -1");
  refused({.relative_tolerance = nan}, "relative_tolerance = nan");
  refused({.relative_tolerance = std::numeric_limits<double>::infinity()}, "relative_tolerance = inf");
  refused({.relative_tolerance = -1e-7}, "relative_tolerance = -1e-07");
  refused({.gradient_tolerance = nan}, "gradient_tolerance = nan");
  refused({.constraint_tolerance = -1}, "constraint_tolerance = -1");
  refused({.max_line_search_steps = 0}, "max_line_search_steps = 0");
  refused({.sufficient_decrease = nan}, "sufficient_decrease = nan");
  refused({.initial_regularization = -1}, "initial_regularization = -1");
  refused({.min_regularization = 0}, "min_regularization = 0");
  refused({.max_regularization = nan}, "max_regularization = nan");
  refused({.initial_penalty = 0}, "initial_penalty = 0");
  refused({.penalty_factor = 1}, "penalty_factor = 1");
  refused({.max_penalty = nan}, "max_penalty = nan");
  refused({.max_outer_iterations = -1}, "max_outer_iterations = -1");
  refused({.curvature_tolerance = nan}, "curvature_tolerance = nan");
  refused({.threads = 0}, "threads = 0");
}

TEST_CASE("the units of controls and of the cost change neither the end of ilqr nor its iterations") {
  for (const unsigned seed : {1u, 3u, 4u, 7u}) {
    const SwingUp problem = drawn_swing_up(seed);
    const Matrix guess = drawn_guess(problem, seed);
    const IlqrResult expected = ilqr(problem, guess);
    for (const double unit : {1e-5, 1e-3, 1e3, 1e5}) {
      SwingUp scaled = problem;
      scaled.dynamics.rates.control_unit = scaled.residuals.rates.control_unit = unit;
      scaled.lower_control /= unit;
      scaled.upper_control /= unit;
      const IlqrResult plan = ilqr(scaled, guess / unit);
      CAPTURE(seed, unit, to_string(plan.stop), plan.iterations, expected.iterations);
      CHECK(plan.stop == expected.stop);
      CHECK(plan.trajectory.cost == Approx(expected.trajectory.cost).epsilon(1e-5));
    }
    for (const double weight : {1e-5, 1e5}) {
      SwingUp scaled = problem;
      scaled.residuals.effort *= weight;
      scaled.residuals.precision *= weight;
      const IlqrResult plan = ilqr(scaled, guess);
      CAPTURE(seed, weight, to_string(plan.stop), plan.iterations, expected.iterations);
      CHECK(plan.stop == expected.stop);
      CHECK(plan.trajectory.cost == Approx(weight * weight * expected.trajectory.cost).epsilon(1e-5));
    }
  }
}
