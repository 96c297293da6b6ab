// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/gaussian_chain.hpp"
#include "testing/robots/chain_errors.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

void agrees(const LinearChain& chain, double to = 1e-10) {
  const Errors errors = errors_of(chain);
  CAPTURE(errors.mean, errors.covariance, errors.law);
  CHECK(errors.mean < to);
  CHECK(errors.covariance < to);
  CHECK(errors.law < to);
}

}  // namespace

TEST_CASE("messages are the dense posterior of a chain with a known start and a free end") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    LinearChain chain = random_chain(seed, 4, 2, 20, 1e3, 1);
    CAPTURE(seed);
    agrees(chain);
    chain.tasks.back().set_zero(4);
    agrees(chain);
  }
}

TEST_CASE("messages are the dense posterior with an uncertain start, its covariance singular or not") {
  std::mt19937 generator(5);
  for (const int rank : {1, 3, 4}) {
    LinearChain chain = random_chain(10 + rank, 4, 2, 15, 1e3, 1);
    chain.start_root = random_matrix(generator, 4, rank);
    CAPTURE(rank);
    agrees(chain);
  }
}

TEST_CASE("messages are the dense posterior where controls reach one state of four, or all") {
  agrees(random_chain(22, 4, 1, 15, 1e3, 1));
  agrees(random_chain(23, 4, 4, 15, 1e3, 1));
}

TEST_CASE("cheap controls cost digits as precision times B H^-1 B^T grows, not more") {
  for (const double cost : {1.0, 1e-2, 1e-4, 1e-6}) {
    const Errors errors = errors_of(random_chain(21, 4, 2, 15, 1e3, cost));
    CAPTURE(cost, errors.mean, errors.covariance, errors.law);
    const double bound = 1e-12 / cost;
    CHECK(errors.mean < bound);
    CHECK(errors.covariance < bound);
    CHECK(errors.law < bound);
  }
}

TEST_CASE("messages are the dense posterior of second-order motion whose controls cost next to nothing") {
  agrees(followed_motion(1e-4));
}

TEST_CASE("messages are the dense posterior where A is singular and states are forgotten") {
  LinearChain chain = random_chain(31, 4, 2, 15, 1e3, 1);
  for (LinearStep& step : chain.steps) step.A.col(1).setZero();
  chain.steps[7].A.setZero();
  agrees(chain);
}

TEST_CASE("messages are the dense posterior of second-order motion with a goal at the end") {
  const int d = 3, T = 50;
  LinearChain chain{.H = 0.1 * Matrix::Identity(d, d), .mean = Vector::Zero(2 * d)};
  chain.steps.assign(T, second_order_step(d, 0.1));
  chain.tasks.resize(T + 1);
  for (LocalTask& task : chain.tasks) task.set_zero(2 * d);
  chain.tasks[T].add(-std::sqrt(1e3) * Vector::LinSpaced(d, 1, 2), std::sqrt(1e3) * Matrix::Identity(d, d),
                     Vector::Zero(2 * d));
  agrees(chain);
  chain.tasks[20].add(-std::sqrt(1e3) * Vector::Ones(1), std::sqrt(1e3) * Matrix::Ones(1, d), Vector::Zero(2 * d));
  agrees(chain);
}

TEST_CASE("a chain without tasks spreads as the dynamics say, and ends where Eq. 12 says") {
  const LinearStep step = second_order_step(2, 0.2);
  const Matrix H = 0.5 * Matrix::Identity(2, 2);
  const int T = 12;
  Gaussian start{Vector::LinSpaced(4, -1, 1)};
  GaussianChain messages(4, H, T);
  LocalTask none;
  none.set_zero(4);
  messages.start(start.mean);
  for (int t = 0; t < T; ++t) messages.forward(t, step, none);
  messages.finish();
  Gaussian end;
  messages.belief(T, none, end);
  // sum over i of A^i W A^iT, A^T x_0 + sum over i of A^i a (Zarubin et al. 2012, Eq. 12)
  Matrix power = Matrix::Identity(4, 4), covariance = Matrix::Zero(4, 4);
  for (int i = 0; i < T; ++i) {
    covariance += power * step.B * H.inverse() * step.B.transpose() * power.transpose();
    power = power * step.A;
  }
  CHECK((end.covariance - covariance).norm() < 1e-12 * covariance.norm());
  CHECK((end.mean - power * start.mean).norm() < 1e-13);
  const Gaussian propagated = propagate(start, step, T, H);
  CHECK((propagated.covariance - covariance).norm() < 1e-12 * covariance.norm());
  CHECK((propagated.mean - power * start.mean).norm() < 1e-13);
  CHECK((propagate(start, std::vector<LinearStep>(T, step), H).covariance - propagated.covariance).norm() == 0);
}

TEST_CASE("controls from a path lead through the path") {
  std::mt19937 generator(3);
  const Matrix path = random_matrix(generator, 3, 9);
  const Vector velocity = random_matrix(generator, 3, 1);
  const Matrix controls = second_order_controls(path, velocity, 0.05);
  const LinearStep step = second_order_step(3, 0.05);
  Vector x(6);
  x << path.col(0), velocity;
  for (int t = 0; t < 8; ++t) {
    x = step.A * x + step.a + step.B * controls.col(t);
    CHECK((x.head(3) - path.col(t + 1)).norm() < 1e-13);
  }
}

TEST_CASE("what does not fit is refused with its numbers") {
  using Catch::Contains;
  CHECK_THROWS_WITH(second_order_step(0, 0.1), Contains("0 coordinates"));
  CHECK_THROWS_WITH(second_order_step(2, -0.5), Contains("dt = -0.5"));
  CHECK_THROWS_WITH(second_order_controls(Matrix::Zero(2, 3), Vector::Zero(3), 0.1), Contains("2 x 3"));
  CHECK_THROWS_WITH(GaussianChain(2, -Matrix::Identity(2, 2), 3), Contains("2 x 2"));
  CHECK_THROWS_WITH(GaussianChain(0, Matrix::Identity(2, 2), 3), Contains("0 states"));
  CHECK_THROWS_WITH(propagate({Vector::Zero(3)}, second_order_step(1, 0.1), 2, Matrix::Identity(1, 1)),
                    Contains("A 2 x 2") && Contains("3 states"));
  LocalTask task;
  task.set_zero(2);
  CHECK_THROWS_WITH(task.add(Vector::Zero(2), Matrix::Zero(2, 3), Vector::Zero(2)), Contains("2 x 3"));
}
