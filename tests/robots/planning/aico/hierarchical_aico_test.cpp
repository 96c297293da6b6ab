// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/hierarchical_aico.hpp"
#include "joint_problem.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/aico_problems.hpp"
#include "testing/robots/linear_levels.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

HierarchyOptions exact(Exchange exchange, int rounds) {
  return {.max_rounds = rounds,
          .tolerance = 1e-11,
          .exchange = exchange,
          .aico = {.relative_tolerance = 1e-17, .step_tolerance = 1e-10, .initial_damping = 0}};
}

bool never_grows(const std::vector<HierarchyRound>& rounds) {
  for (std::size_t i = 1; i < rounds.size(); ++i)
    if (rounds[i].cost > rounds[i - 1].cost + 1e-12 * std::abs(rounds[i - 1].cost)) return false;
  return true;
}

}  // namespace

TEST_CASE("for a linear phi the levels, iterated, end at the dense joint MAP of both, by either exchange") {
  struct Case {
    int m;
    MotionPrior prior;
    double rho;
  };
  const Case cases[] = {{1, brownian_prior(0.05 * Matrix::Identity(1, 1)), 5},
                        {2, brownian_prior(0.05 * Matrix::Identity(2, 2)), 5},
                        {3, brownian_prior(0.05 * Matrix::Identity(3, 3)), 5},  // y larger than q
                        {1, second_order_prior(0.2, 0.5 * Matrix::Identity(1, 1)), 5}};
  unsigned seed = 0;
  for (const Case& of : cases) {
    const LinearLevels levels(++seed, of.m, of.prior, of.rho);
    const DenseMap dense = dense_map(levels.joint());
    for (const Exchange exchange : {Exchange::means, Exchange::messages}) {
      const HierarchyResult result =
          hierarchical_aico(problem_of(levels.chain), levels.level, Matrix::Zero(2, levels.T), exact(exchange, 3000));
      CAPTURE(seed, exchange == Exchange::means, result.rounds.size(), result.rounds.back().change);
      CHECK(result.converged());
      CHECK(relative(result.plan.states, dense.states.topRows(4)) < 1e-7);
      CHECK(relative(result.y, dense.states.middleRows(4, of.m)) < 1e-7);
      CHECK(std::abs(result.rounds.back().cost - dense.cost - levels.constant()) < 1e-7);
      if (exchange == Exchange::means) CHECK(never_grows(result.rounds));
    }
  }
}

TEST_CASE(
    "both levels as one problem are solved by one AICO iteration, at a precision that the exchange of means creeps "
    "at") {
  for (const double rho : {5.0, 1e3}) {
    const LinearLevels levels(7, 2, brownian_prior(0.05 * Matrix::Identity(2, 2)), rho);
    const DenseMap dense = dense_map(levels.joint());
    const AicoProblem joint = joint_problem(problem_of(levels.chain), levels.level);
    const AicoResult result =
        aico(joint, Matrix::Zero(4, levels.T), {.relative_tolerance = 1e-12, .initial_damping = 0});
    CHECK(result.converged());
    CHECK(result.iterations == 1);
    CHECK(relative(result.states, dense.states) < 1e-10);
    for (int t = 0; t <= levels.T; ++t) CHECK(relative(result.covariances[t], dense.covariances[t]) < 1e-10);
  }
  const LinearLevels tight(7, 2, brownian_prior(0.05 * Matrix::Identity(2, 2)), 1e3);
  const DenseMap dense = dense_map(tight.joint());
  const HierarchyResult means =
      hierarchical_aico(problem_of(tight.chain), tight.level, Matrix::Zero(2, tight.T), exact(Exchange::means, 100));
  CHECK(means.stop == HierarchyStop::round_limit);
  CHECK(relative(means.y, dense.states.middleRows(4, 2)) > 1e-4);
  const HierarchyResult messages =
      hierarchical_aico(problem_of(tight.chain), tight.level, Matrix::Zero(2, tight.T), exact(Exchange::messages, 100));
  CHECK(relative(messages.y, dense.states.middleRows(4, 2)) < 1e-6);
}

TEST_CASE("stage 2 under a Brownian prior is a straight line to what the end state says, weighed by both variances") {
  LinearLevels levels(3, 1, brownian_prior(0.05 * Matrix::Identity(1, 1)), 20);
  levels.chain.tasks[4].set_zero(4);
  const HierarchyResult result = hierarchical_aico(problem_of(levels.chain), levels.level, Matrix::Zero(2, levels.T));
  const Gaussian& end = result.end_state.posterior;
  const double y0 = (levels.C * levels.chain.mean.head(2) + levels.c)(0);
  const double there = (levels.C * end.mean.head(2) + levels.c)(0);
  const double variance = (levels.C * end.covariance.topLeftCorner(2, 2) * levels.C.transpose())(0) + 1 / 20.0;
  const double walk = 0.05 * levels.T, y_end = y0 + (there - y0) * walk / (walk + variance);
  for (int t = 0; t <= levels.T; ++t)
    CHECK(std::abs(result.first_y(0, t) - (y0 + (y_end - y0) * t / levels.T)) < 1e-12);
  CHECK(result.stop == HierarchyStop::round_limit);
  CHECK(result.rounds.size() == 1);
}

TEST_CASE("an arm led by where its tip is ends, iterated, where both levels as one end") {
  const AicoProblem arm = arm_around_disc(3, 30, 0);
  UpperLevel level{
      .prior = brownian_prior(0.02 * Matrix::Identity(2, 2)), .size = 2, .precision = Vector::Constant(31, 20)};
  level.map = [](int, const Vector& q, Vector& y, Matrix& J) {
    Matrix points, all;
    PlanarArm{3}.evaluate(q, points, all);
    y = points.col(2);
    J = all.bottomRows(2);
    return true;
  };
  const AicoResult joint =
      aico(joint_problem(arm, level), Matrix::Zero(5, 30), {.relative_tolerance = 1e-13, .step_tolerance = 1e-9});
  REQUIRE(joint.converged());
  for (const Exchange exchange : {Exchange::means, Exchange::messages}) {
    HierarchyOptions options{.max_rounds = 300, .tolerance = 1e-7, .exchange = exchange, .use_end_state = false};
    options.aico.relative_tolerance = 1e-12;
    const HierarchyResult result = hierarchical_aico(arm, level, Matrix::Zero(3, 30), options);
    CAPTURE(exchange == Exchange::means, result.rounds.size(), result.rounds.back().cost, joint.cost);
    CHECK(result.converged());
    CHECK(relative(result.plan.states.topRows(3), joint.states.topRows(3)) < 1e-4);
    CHECK(relative(result.y, joint.states.middleRows(6, 2)) < 1e-4);
    CHECK(std::abs(result.rounds.back().cost - joint.cost) < 1e-6 * joint.cost);
    if (exchange == Exchange::means) CHECK(never_grows(result.rounds));
  }
}

TEST_CASE("the hierarchy says why it stopped, and refuses what does not fit with its numbers") {
  using Catch::Contains;
  LinearLevels levels(5, 1, brownian_prior(0.05 * Matrix::Identity(1, 1)), 5);
  const AicoProblem problem = problem_of(levels.chain);
  const Matrix still = Matrix::Zero(2, levels.T);
  UpperLevel blind = levels.level;
  blind.map = [](int, const Vector&, Vector&, Matrix&) { return false; };
  CHECK(hierarchical_aico(problem, blind, still).stop == HierarchyStop::map_failed);
  AicoProblem endless = problem;
  endless.task = [&](int t, const Vector& x, LocalTask& task) { return t < levels.T && problem.task(t, x, task); };
  CHECK(hierarchical_aico(endless, levels.level, still).stop == HierarchyStop::end_state_failed);
  CHECK(hierarchical_aico(endless, levels.level, still, {.use_end_state = false}).stop == HierarchyStop::plan_failed);
  CHECK(std::string(to_string(HierarchyStop::plan_failed)) == "plan failed");

  using Options = HierarchyOptions;
  quoin::test::RefusedOptions("hierarchical_aico", Options{},
                              [&](const Options& o) { hierarchical_aico(problem, levels.level, still, o); })
      .positive("max_rounds", &Options::max_rounds)
      .not_negative("tolerance", &Options::tolerance);
  CHECK_THROWS_WITH(hierarchical_aico(problem, levels.level, Matrix::Zero(2, 3)), Contains("2 x 3"));
  UpperLevel wrong = levels.level;
  wrong.precision = Vector::Ones(4);
  CHECK_THROWS_WITH(hierarchical_aico(problem, wrong, still), Contains("4 precisions for 11 times"));
  wrong = levels.level;
  wrong.size = 2;
  CHECK_THROWS_WITH(hierarchical_aico(problem, wrong, still), Contains("2 entries"));
  wrong = levels.level;
  wrong.coordinates = 9;
  CHECK_THROWS_WITH(hierarchical_aico(problem, wrong, still), Contains("9 coordinates"));
  CHECK_THROWS_WITH(brownian_prior(-Matrix::Identity(2, 2)), Contains("eigenvalue of -1"));
}
