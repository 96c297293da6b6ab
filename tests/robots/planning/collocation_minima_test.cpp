// SPDX-License-Identifier: BSD-3-Clause
// What `converged` of collocation promises, asked over drawn problems whose obvious guesses are saddles.
#ifdef QUOIN_HAS_IPOPT
#include "collocation_minima.hpp"
#include "collocation_units.hpp"
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/collocation_systems.hpp"
#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace quoin;
using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// Tight, so that the judge sees which bounds are pressed.
CollocationOptions tight(bool check_curvature = true) {
  return {.ipopt = {.tolerance = 1e-9, .max_iterations = 2000}, .check_curvature = check_curvature};
}

/// x' = A x + B u with a quadratic cost, bounds or a prescribed end. Every third has two controls that do the same and
/// of which only the sum costs: its minimum is flat.
Begun drawn_linear_quadratic(unsigned seed) {
  std::mt19937 generator(seed * 7919 + 11);
  const Eigen::Index n = 2 + seed % 3, m = 2;
  const Matrix root = random_matrix(generator, n, 1);
  Matrix A = random_matrix(generator, n, n), B = random_matrix(generator, n, m), R = Matrix::Identity(m, m);
  if (seed % 3 == 0) {
    B.col(1) = B.col(0);
    R.setOnes();
  }
  struct Linear {
    Matrix A, B;
    Eigen::Index state_size() const { return A.rows(); }
    Eigen::Index control_size() const { return B.cols(); }
    StepStatus rate(const Vector& x, const Vector& u, Vector& f) const {
      f = A * x + B * u;
      return StepStatus::ok;
    }
    StepStatus rate(const Vector& x, const Vector& u, Vector& f, Matrix& dx, Matrix& du) const {
      dx = A;
      du = B;
      return rate(x, u, f);
    }
  };
  const Vector start = random_matrix(generator, n, 1);
  Begun begun{.problem = {.dynamics = node_dynamics(Linear{A, B}),
                          .times = Vector::LinSpaced(13, 0, 2),
                          .initial_state = start,
                          .running_cost = quadratic_cost(root * root.transpose(), Vector::Zero(n), R)}};
  if (seed % 2 == 0) {
    begun.problem.lower_control = Vector::Constant(m, -0.3);
    begun.problem.upper_control = Vector::Constant(m, 0.3);
  } else if (n == 2) {
    begun.problem.boundary = final_state(Vector::Zero(n));
    begun.problem.lower_boundary = begun.problem.upper_boundary = Vector::Zero(n);
  }
  begun.guess = straight_guess(begun.problem, Vector::Zero(n));
  return begun;
}

}  // namespace

TEST_CASE("of drawn swing-ups and ways past an obstacle none that collocation calls converged is a saddle") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(24);
  int converged = 0, saddles_before = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const bool past = seed % 3 == 0;
    const Begun begun = past ? drawn_way_past_ellipsoid(seed / 3) : drawn_collocation_swing_up(seed);
    const CollocationPlan plan = collocation(begun.problem, begun.guess, tight());
    const CollocationPlan trusting = collocation(begun.problem, begun.guess, tight(false));
    const double curvature = least_curvature(begun.problem, plan), before = least_curvature(begun.problem, trusting);
    CAPTURE(seed, past, to_string(plan.stop), plan.iterations, plan.cost, trusting.cost, curvature, before);
    if (trusting.converged() && before < -1e-6) ++saddles_before;
    if (!plan.converged()) continue;
    ++converged;
    CHECK(curvature > -1e-7);
    CHECK(plan.cost <= trusting.cost * (1 + 1e-6));
    if (before > 1e-6) {  // where it was a minimum nothing changes
      CHECK(plan.iterations == trusting.iterations);
      CHECK(plan.states == trusting.states);
    }
  }
  INFO(converged << " of " << draws << " converged; without the look " << saddles_before << " of them at saddles");
  CHECK(20 * converged >= 19 * draws);
  CHECK(2 * saddles_before >= draws);
}

TEST_CASE("bounds of the path that are not met hide no saddle of collocation, with bounds of controls or without") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(24);
  int converged = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    Begun begun = drawn_collocation_swing_up(seed);
    CollocationProblem& problem = begun.problem;
    if (seed % 4 > 0) problem.lower_control = problem.upper_control = {};
    const Eigen::Index n = problem.initial_state.size(), bounded = 1 + seed % n;
    problem.path = [bounded](double, const Vector& x, const Vector& u, Vector& g, Matrix& dx, Matrix& du) {
      g = x.head(bounded);
      dx.setIdentity(bounded, x.size());
      du.setZero(bounded, u.size());
      return true;
    };
    std::mt19937 generator(seed);
    problem.upper_path =
        Vector::Constant(bounded, std::pow(10, std::uniform_real_distribution<double>(1, 6)(generator)));
    problem.lower_path = -problem.upper_path;
    const CollocationPlan plan = collocation(problem, begun.guess, tight());
    if (!plan.converged()) continue;
    ++converged;
    const double curvature = least_curvature(problem, plan);
    CAPTURE(seed, bounded, plan.cost, curvature);
    CHECK(curvature > -1e-7);
  }
  CHECK(20 * converged >= 19 * draws);
}

TEST_CASE("in drawn units, with scales left out, none that collocation calls converged is a saddle") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(12);
  int converged = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const bool past = seed % 3 == 0;
    const Begun begun = past ? drawn_way_past_ellipsoid(seed / 3) : drawn_collocation_swing_up(seed);
    const Units units = drawn_units(begun.problem, 6, seed);
    const Begun other = in_units(begun, units);
    const CollocationPlan plan = collocation(other.problem, other.guess, tight());
    if (!plan.converged()) continue;
    ++converged;
    const double curvature = least_curvature(begun.problem, in_base_units(plan, begun.problem, units));
    CAPTURE(seed, past, plan.iterations, plan.cost / units.cost, curvature);
    CHECK(curvature > -1e-7);
  }
  INFO(converged << " of " << draws << " converged");
  CHECK(6 * converged >= 5 * draws);
}

TEST_CASE(
    "collocation calls the minimum of a linear-quadratic problem converged, flat ones too, at no iteration more") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(30);
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    const Begun begun = drawn_linear_quadratic(seed);
    const CollocationPlan plan = collocation(begun.problem, begun.guess);
    const CollocationPlan trusting = collocation(begun.problem, begun.guess, {.check_curvature = false});
    CAPTURE(seed, to_string(plan.stop), to_string(trusting.stop), plan.iterations);
    CHECK(plan.stop == trusting.stop);
    CHECK(plan.iterations == trusting.iterations);
    CHECK(plan.states == trusting.states);
  }
}

TEST_CASE("a saddle that collocation has no iterations left to leave has its name, also on refined meshes") {
  const Begun begun = drawn_collocation_swing_up(12);  // a pendulum that hangs, at rest
  CollocationOptions options;
  options.ipopt.max_iterations = 6;  // four to see that it is stationary
  const CollocationPlan plan = collocation(begun.problem, begun.guess, options);
  CHECK(plan.stop == Stop::saddle);
  CHECK_FALSE(plan.converged());
  const RefinedCollocation refined = collocation_refined(begun.problem, begun.guess, {.collocation = options});
  CHECK(refined.plan.stop == Stop::saddle);

  int seen = 0;
  options.ipopt.max_iterations = 500;
  options.ipopt.observer = [&](const NlpIteration&, const Eigen::VectorXd&) { return ++seen < 5; };
  CHECK(collocation(begun.problem, begun.guess, options).stop == Stop::stopped_by_observer);
  options.curvature_tolerance = -1;
  CHECK_THROWS_WITH(collocation(begun.problem, begun.guess, options), Catch::Contains("curvature_tolerance = -1"));
}
#endif
