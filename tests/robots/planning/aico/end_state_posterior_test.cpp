// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/end_state_posterior.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/aico_problems.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

struct LinearTask {
  Matrix J;
  Vector y;
  double rho;
  bool operator()(const Vector& x, LocalTask& task) const {
    task.add(std::sqrt(rho) * (J * x - y), std::sqrt(rho) * J, x);
    return true;
  }
  // Textbook conditioning, which needs no inverse of S either.
  Gaussian given(const Gaussian& prior) const {
    const Matrix& S = prior.covariance;
    const Matrix gain = S * J.transpose() *
                        (J * S * J.transpose() + Matrix::Identity(J.rows(), J.rows()) / rho)
                            .llt()
                            .solve(Matrix::Identity(J.rows(), J.rows()));
    return {prior.mean + gain * (y - J * prior.mean), S - gain * J * S};
  }
};

/// The tip of an arm is tied tightly to a point.
struct TipTask {
  int d;
  Eigen::Vector2d goal;
  bool operator()(const Vector& x, LocalTask& task) const {
    Matrix points, J;
    PlanarArm{d}.evaluate(x.head(d), points, J);
    task.add(100 * (points.col(d - 1) - goal), 100 * J.bottomRows(2), x);
    return true;
  }
};

Gaussian reach_of_arm(int d, double swing) {
  Vector x0 = Vector::Zero(2 * d);
  x0[0] = swing;
  return propagate({x0}, second_order_step(d, 0.1), 30, 0.1 * Matrix::Identity(d, d));
}

}  // namespace

TEST_CASE("the end state under a linear task is the closed form after one undamped step, singular priors included") {
  std::mt19937 generator(1);
  for (const int rank : {2, 4, 6}) {
    const Matrix root = random_matrix(generator, 6, rank);
    const Gaussian prior{random_matrix(generator, 6, 1), root * root.transpose()};
    const LinearTask task{random_matrix(generator, 2, 6), random_matrix(generator, 2, 1), 1e3};
    const Gaussian expected = task.given(prior);
    const EndStateResult result = end_state_posterior(prior, task, {.initial_damping = 0});
    CAPTURE(rank);
    CHECK(result.converged());
    CHECK(result.iterations == 1);
    CHECK(relative(result.posterior.mean, expected.mean) < 1e-10);
    CHECK(relative(result.posterior.covariance, expected.covariance) < 1e-10);
    const EndStateResult damped = end_state_posterior(prior, task, {.tolerance = 1e-14, .initial_damping = 100});
    CHECK(damped.converged());
    CHECK(damped.iterations > 1);
    CHECK(relative(damped.posterior.mean, expected.mean) < 1e-6);
  }
}

TEST_CASE("the end state is what the whole chain says of its end if nothing is asked before") {
  LinearChain chain{.H = 0.1 * Matrix::Identity(2, 2), .mean = Vector::LinSpaced(4, 0, 1)};
  chain.steps.assign(20, second_order_step(2, 0.1));
  chain.tasks.resize(21);
  for (LocalTask& task : chain.tasks) task.set_zero(4);
  const LinearTask task{Matrix::Identity(2, 4), Vector::Ones(2), 1e3};
  task(Vector::Zero(4), chain.tasks[20]);
  const DenseMap dense = dense_map(chain);
  const EndStateResult end =
      end_state_posterior(propagate({chain.mean}, chain.steps, chain.H), task, {.initial_damping = 0});
  CHECK(relative(end.posterior.mean, dense.states.col(20)) < 1e-10);
  CHECK(relative(end.posterior.covariance, dense.covariances[20]) < 1e-10);
}

TEST_CASE("the end state of an arm that reaches has the greatest likelihood, which never falls on the way") {
  for (const double swing : {-2.0, 0.1, 1.5}) {
    const Gaussian prior = reach_of_arm(4, swing);
    const TipTask task{4, {-0.3, 0.5}};
    const EndStateResult end = end_state_posterior(prior, task);
    CAPTURE(swing, end.iterations, end.cost);
    CHECK(end.converged());
    CHECK(std::is_sorted(end.costs.rbegin(), end.costs.rend()));
    CHECK(end.task_cost < 0.1);
    CHECK(std::abs(end.cost - end.prior_cost - end.task_cost) < 1e-12 * end.cost);
    CHECK(end.task_evaluations == end.iterations + 1);
    const Matrix precision = prior.covariance.inverse();
    const auto cost = [&](const Vector& x) {
      LocalTask local;
      local.set_zero(8);
      task(x, local);
      return local.cost + 0.5 * (x - prior.mean).dot(precision * (x - prior.mean));
    };
    CHECK(std::abs(cost(end.posterior.mean) - end.cost) < 1e-9 * end.cost);
    for (int i = 0; i < 8; ++i) {
      const Vector h = 1e-5 * Vector::Unit(8, i);
      CHECK(std::abs(cost(end.posterior.mean + h) - cost(end.posterior.mean - h)) / 2e-5 < 1e-3);
    }
    const Matrix local = (precision + end.task.R).inverse();
    CHECK(relative(end.posterior.covariance, local) < 1e-8);
  }
}

TEST_CASE("the end state begins where it is told, if the prior allows that") {
  const Gaussian prior = reach_of_arm(2, 0.3);
  const TipTask task{2, {0.3, 0.6}};
  Vector up(4), down(4);
  up << 2, -1.5, 0, 0;
  down << 0.2, 1.5, 0, 0;
  const EndStateResult first = end_state_posterior(prior, task, {.start = up});
  const EndStateResult second = end_state_posterior(prior, task, {.start = down});
  CHECK(first.converged());
  CHECK(second.converged());
  CHECK(first.posterior.mean[1] < 0);   // elbow up
  CHECK(second.posterior.mean[1] > 0);  // elbow down
  Gaussian rigid = prior;
  rigid.covariance.row(1).setZero();
  rigid.covariance.col(1).setZero();
  CHECK_THROWS_WITH(end_state_posterior(rigid, task, {.start = up}),
                    Catch::Contains("away from what the prior allows"));
  CHECK(end_state_posterior(rigid, task).posterior.mean[1] == prior.mean[1]);
}

TEST_CASE("the end state says why it stopped") {
  const Gaussian prior = reach_of_arm(3, 0.1);
  const TipTask task{3, {0, 0.6}};
  CHECK(end_state_posterior(prior, task, {.max_iterations = 2}).stop == quoin::Stop::iteration_limit);
  const auto uphill = [&](const Vector& x, LocalTask& local) {
    task(x, local);
    local.r = 2 * local.R * x - local.r;
    return true;
  };
  const EndStateResult stalled = end_state_posterior(prior, uphill);
  CHECK(stalled.stop == quoin::Stop::stalled);
  CHECK(stalled.posterior.mean == prior.mean);
  const EndStateResult failed = end_state_posterior(prior, [](const Vector&, LocalTask&) { return false; });
  CHECK(failed.stop == quoin::Stop::initial_failed);
  CHECK(std::string(to_string(failed.stop)) == "initial failed");
}

TEST_CASE("the end state refuses what does not fit, with its numbers") {
  using Catch::Contains;
  const TipTask task{2, {0, 0.6}};
  CHECK_THROWS_WITH(end_state_posterior({Vector::Zero(4), Matrix::Identity(3, 3)}, task), Contains("3 x 3"));
  CHECK_THROWS_WITH(end_state_posterior({Vector::Zero(4), -Matrix::Identity(4, 4)}, task),
                    Contains("eigenvalue of -1"));
  CHECK_THROWS_WITH(end_state_posterior(reach_of_arm(2, 0), task, {.start = Vector::Zero(3)}), Contains("3 entries"));
  CHECK_THROWS_WITH(end_state_posterior(reach_of_arm(2, 0), task, {.damping_increase = 1}),
                    Contains("damping_increase = 1"));
}

TEST_CASE("options of the end state that mean nothing are refused with their name") {
  using Options = EndStateOptions;
  const TipTask task{2, {0, 0.6}};
  const Gaussian prior = reach_of_arm(2, 0);
  quoin::test::RefusedOptions("end_state_posterior", Options{},
                              [&](const Options& o) { end_state_posterior(prior, task, o); })
      .not_negative("max_iterations", &Options::max_iterations)
      .not_negative("tolerance", &Options::tolerance)
      .not_negative("initial_damping", &Options::initial_damping)
      .positive("damping_decrease", &Options::damping_decrease)
      .positive("damping_increase", &Options::damping_increase)
      .positive("max_damping", &Options::max_damping);
}
