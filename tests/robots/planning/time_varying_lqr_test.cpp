// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/time_varying_lqr.hpp"

#include "testing/robots/planning_problems.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <cmath>
#include <limits>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using planning::test::Matrix;
using planning::test::random_matrix;
using planning::test::Vector;

namespace {

Matrix random_weight(std::mt19937& generator, Eigen::Index n, double least) {
  const Matrix root = random_matrix(generator, n, n);
  return root * root.transpose() + least * Matrix::Identity(n, n);
}

LinearizedMotion random_motion(std::mt19937& generator, int n, int m, int steps) {
  LinearizedMotion motion;
  for (int i = 0; i < steps; ++i) {
    motion.A.push_back(Matrix::Identity(n, n) + 0.3 * random_matrix(generator, n, n));
    motion.B.push_back(random_matrix(generator, n, m));
  }
  return motion;
}

}  // namespace

TEST_CASE("feedback and cost are those of the whole problem, solved as dense least squares", "[time_varying_lqr]") {
  constexpr int n = 4, m = 2, K = 12;
  std::mt19937 generator(3);
  const LinearizedMotion motion = random_motion(generator, n, m, K);
  LqrWeights weights;
  for (int i = 0; i < K; ++i) {
    weights.Q.push_back(random_weight(generator, n, 0));
    weights.R.push_back(random_weight(generator, m, 0.1));
  }
  weights.final = random_weight(generator, n, 0);
  const auto lqr = time_varying_lqr(motion, weights);
  const Vector x0 = random_matrix(generator, n, 1);

  // x_i = free_i x0 + forced_i U, all residuals of U stacked.
  Matrix rows = Matrix::Zero(K * (n + m) + n, K * m);
  Vector right = Vector::Zero(rows.rows());
  Matrix free = Matrix::Identity(n, n), forced = Matrix::Zero(n, K * m);
  for (int i = 0; i <= K; ++i) {
    const Matrix root = (i < K ? weights.Q[i] : weights.final).llt().matrixU();
    rows.middleRows(i * n, n) = root * forced;
    right.segment(i * n, n) = -root * free * x0;
    if (i == K) break;
    rows.block((K + 1) * n + i * m, i * m, m, m) = weights.R[i].llt().matrixU();
    forced = (motion.A[i] * forced).eval();
    forced.middleCols(i * m, m) += motion.B[i];
    free = (motion.A[i] * free).eval();
  }
  const Vector U = rows.colPivHouseholderQr().solve(right);
  Vector x = x0;
  for (int i = 0; i < K; ++i) {
    const Vector u = -lqr.gains[i] * x;
    CHECK((u - U.segment(i * m, m)).norm() < 1e-10 * U.norm());
    x = motion.A[i] * x + motion.B[i] * u;
  }
  const double cost = 0.5 * (rows * U - right).squaredNorm();
  CHECK(0.5 * x0.dot(lqr.cost_to_go[0] * x0) == Approx(cost).epsilon(1e-10));
}

TEST_CASE("far from the end the gain is that of the algebraic Riccati equation", "[time_varying_lqr]") {
  // x' = x + u, Q = R = 1: S = 1 + S / (1 + S), the golden ratio.
  LinearizedMotion scalar;
  scalar.A.assign(60, Matrix::Ones(1, 1));
  scalar.B.assign(60, Matrix::Ones(1, 1));
  const auto golden = time_varying_lqr(scalar, {{Matrix::Ones(1, 1)}, {Matrix::Ones(1, 1)}, Matrix::Zero(1, 1)});
  const double ratio = (1 + std::sqrt(5.0)) / 2;
  CHECK(golden.cost_to_go[0](0, 0) == Approx(ratio).epsilon(1e-14));
  CHECK(golden.gains[0](0, 0) == Approx(1 / ratio).epsilon(1e-14));

  std::mt19937 generator(5);
  LinearizedMotion motion = random_motion(generator, 4, 2, 1);
  motion.A.front() *= 1.2;  // unstable
  motion.A.resize(400, motion.A.front());
  motion.B.resize(400, motion.B.front());
  const Matrix Q = random_weight(generator, 4, 0.1), R = random_weight(generator, 2, 0.1);
  const auto lqr = time_varying_lqr(motion, {{Q}, {R}, Matrix::Zero(4, 4)});
  const Matrix &S = lqr.cost_to_go[0], &A = motion.A[0], &B = motion.B[0];
  const Matrix BS = B.transpose() * S;
  const Matrix equation = Q + A.transpose() * S * A - (BS * A).transpose() * (R + BS * B).llt().solve(BS * A);
  CHECK((S - equation).norm() < 1e-10 * S.norm());
  CHECK(A.eigenvalues().cwiseAbs().maxCoeff() > 1);
  CHECK((A - B * lqr.gains[0]).eigenvalues().cwiseAbs().maxCoeff() < 1);
}

TEST_CASE("a car that starts off its plan comes back to it with the feedback, and does not without",
          "[time_varying_lqr]") {
  const planning::test::CarDynamics car;
  constexpr int K = 80;
  Matrix states(4, K + 1), controls(2, K);
  Vector x{{0, 0, 0.2, 1}}, next;
  states.col(0) = x;
  for (int i = 0; i < K; ++i) {
    controls.col(i) << 0.3 * std::sin(0.1 * i), 0.4 * std::cos(0.15 * i);
    REQUIRE(car.step(states.col(i), controls.col(i), next) == StepStatus::ok);
    states.col(i + 1) = next;
  }
  const auto linear = linearize_along(car, states, controls);
  REQUIRE(linear.failed_step == -1);
  CHECK(linear.largest_defect == 0);
  const auto lqr =
      time_varying_lqr(linear, {{Matrix::Identity(4, 4)}, {0.1 * Matrix::Identity(2, 2)}, 10 * Matrix::Identity(4, 4)});
  const auto miss = [&](double off, bool feedback) {
    Vector at = states.col(0) + off * Vector{{0.1, -0.1, 0.1, 0.1}}, to;
    double cost = 0;
    for (int i = 0; i < K; ++i) {
      const Vector dx = at - states.col(i), u = controls.col(i) - (feedback ? 1.0 : 0.0) * lqr.gains[i] * dx;
      cost += 0.5 * dx.squaredNorm() + 0.05 * (u - controls.col(i)).squaredNorm();
      REQUIRE(car.step(at, u, to) == StepStatus::ok);
      at = to;
    }
    const Vector dx = at - states.col(K);
    return std::pair(dx.norm(), cost + 5 * dx.squaredNorm());
  };
  CHECK(miss(1, false).first > 0.2);
  CHECK(miss(1, true).first < 0.02);
  // and it costs as much as the cost-to-go predicts, more accurately for smaller deviations
  const Vector d{{0.1, -0.1, 0.1, 0.1}};
  const auto off_by = [&](double t) {
    return std::abs(miss(t, true).second / (0.5 * t * t * d.dot(lqr.cost_to_go[0] * d)) - 1);
  };
  CHECK(off_by(1e-3) < 1e-3);
  CHECK(off_by(1e-3) < 0.2 * off_by(1e-2));
}

TEST_CASE("the filter is the batch least squares of all that was measured, with frames that were not",
          "[time_varying_lqr]") {
  constexpr int n = 3, m = 1, p = 2, K = 9;
  std::mt19937 generator(9);
  const LinearizedMotion motion = random_motion(generator, n, m, K);
  const Matrix P0 = random_weight(generator, n, 0.2), W = 0.01 * random_weight(generator, n, 0.2),
               V = 0.1 * random_weight(generator, p, 0.2);
  const Vector mean0 = random_matrix(generator, n, 1);
  TrajectoryFilter filter(motion, P0, mean0);

  // Unknowns x_0..x_K; rows weighted by the inverse roots of their covariances.
  const auto whiten = [](const Matrix& covariance, const Matrix& rows) -> Matrix {
    return covariance.llt().matrixL().solve(rows);
  };
  Matrix rows = Matrix::Zero(0, n * (K + 1));
  Vector right(0);
  const auto add = [&](const Matrix& more, const Vector& value) {
    rows.conservativeResize(rows.rows() + more.rows(), Eigen::NoChange);
    right.conservativeResize(right.size() + value.size());
    rows.bottomRows(more.rows()) = more;
    right.tail(value.size()) = value;
  };
  Matrix prior = Matrix::Zero(n, n * (K + 1));
  prior.leftCols(n) = whiten(P0, Matrix::Identity(n, n));
  add(prior, whiten(P0, mean0));
  for (int i = 0; i <= K; ++i) {
    if (i != 3 && i != 4) {
      const Matrix C = random_matrix(generator, p, n);
      const Vector dy = random_matrix(generator, p, 1);
      Matrix seen = Matrix::Zero(p, n * (K + 1));
      seen.middleCols(i * n, n) = whiten(V, C);
      add(seen, whiten(V, dy));
      filter.update(C, dy, V);
    }
    if (i == K) break;
    const Vector du = random_matrix(generator, m, 1);
    Matrix moved = Matrix::Zero(n, n * (K + 1));
    moved.middleCols(i * n, n) = -whiten(W, motion.A[i]);
    moved.middleCols((i + 1) * n, n) = whiten(W, Matrix::Identity(n, n));
    add(moved, whiten(W, motion.B[i] * du));
    filter.predict(du, W);
  }
  CHECK(filter.step() == K);
  const Vector all = rows.colPivHouseholderQr().solve(right);
  const Matrix information = rows.transpose() * rows;
  const Matrix covariance = information.llt().solve(Matrix::Identity(all.size(), all.size()));
  CHECK((filter.estimate() - all.tail(n)).norm() < 1e-9 * all.tail(n).norm());
  CHECK((filter.covariance() - covariance.bottomRightCorner(n, n)).norm() < 1e-9 * filter.covariance().norm());
}

TEST_CASE("with inputs that come late, feedback on where they will meet the state beats feedback on where it is",
          "[time_varying_lqr]") {
  // A mass at 50 Hz with a noisy measured position, and a force delayed by 5 frames.
  constexpr double h = 0.02, noise = 1.5e-3;
  constexpr int K = 200, late = 5;
  LinearizedMotion motion;
  motion.A.assign(K, Matrix{{1, h}, {0, 1}});
  motion.B.assign(K, Matrix{{h * h / 2}, {h}});
  const auto lqr = time_varying_lqr(motion, {{Matrix{{1, 0}, {0, 0}}}, {Matrix{{1e-4}}}, Matrix::Identity(2, 2)});
  const Matrix C{{1, 0}}, V{{noise * noise}}, W = 1e-8 * Matrix::Identity(2, 2);
  const auto run = [&](bool look_ahead) {
    std::mt19937 generator(2);
    std::normal_distribution<double> normal(0, noise);
    TrajectoryFilter filter(motion, 0.01 * Matrix::Identity(2, 2));
    Vector x{{0.1, 0}};
    Matrix pending = Matrix::Zero(1, late);
    double squares = 0, worst_estimate = 0;
    for (int i = 0; i < K; ++i) {
      filter.update(C, C * x + Vector::Constant(1, normal(generator)), V);
      if (i >= 50) worst_estimate = std::max(worst_estimate, std::abs(filter.estimate()[0] - x[0]));
      const Vector dx = look_ahead ? filter.ahead(pending) : filter.estimate();
      const Vector u = -lqr.gains[look_ahead ? std::min(i + late, K - 1) : i] * dx;
      const Vector acts = pending.col(0);
      pending.leftCols(late - 1) = pending.rightCols(late - 1).eval();
      pending.col(late - 1) = u;
      filter.predict(acts, W);
      x = motion.A[i] * x + motion.B[i] * acts;
      if (i >= K / 2) squares += x[0] * x[0];
    }
    CHECK(worst_estimate < 2 * noise);
    return std::sqrt(squares / (K / 2));
  };
  const double ahead = run(true), behind = run(false);
  INFO("deviation " << ahead << " m, " << behind << " m");
  CHECK(ahead < 2 * noise);
  CHECK(behind > 5 * ahead);
}

TEST_CASE("a step without derivatives ends the linearization and says where", "[time_varying_lqr]") {
  struct Fragile : planning::test::LinearDynamics {
    using planning::test::LinearDynamics::step;
    StepStatus step(const Vector& x, const Vector& u, Vector& next, Matrix& dx, Matrix& du) const {
      if (x[0] > 2.5) return StepStatus::outside_domain;
      return planning::test::LinearDynamics::step(x, u, next, dx, du);
    }
    StepStatus step(const Vector& x, const Vector& u, Vector& next) const {
      return planning::test::LinearDynamics::step(x, u, next);
    }
  };
  const Fragile dynamics{{Matrix::Ones(1, 1), Matrix::Ones(1, 1)}};
  const auto linear = linearize_along(dynamics, Matrix{{0, 1, 2, 3.5, 5}}, Matrix::Ones(1, 4));
  CHECK(linear.failed_step == 3);
  CHECK(linear.status == StepStatus::outside_domain);
  CHECK(linear.A.size() == 3);
  CHECK(linear.largest_defect == 0.5);
  CHECK_THROWS_AS(time_varying_lqr(linear, {{Matrix::Ones(1, 1)}, {Matrix::Ones(1, 1)}, Matrix::Ones(1, 1)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(linearize_along(dynamics, Matrix::Zero(1, 4), Matrix::Ones(1, 4)), std::invalid_argument);
}

TEST_CASE("weights and shapes that do not fit are refused", "[time_varying_lqr]") {
  std::mt19937 generator(1);
  const LinearizedMotion motion = random_motion(generator, 2, 1, 3);
  const Matrix I = Matrix::Identity(2, 2), one = Matrix::Ones(1, 1);
  CHECK_NOTHROW(time_varying_lqr(motion, {{I, I, I}, {one}, I}));
  CHECK_THROWS_AS(time_varying_lqr(motion, {{I, I}, {one}, I}), std::invalid_argument);
  CHECK_THROWS_AS(time_varying_lqr(motion, {{one}, {one}, I}), std::invalid_argument);
  CHECK_THROWS_AS(time_varying_lqr(motion, {{I}, {one}, one}), std::invalid_argument);
  CHECK_THROWS_AS(time_varying_lqr(motion, {{I}, {-100 * one}, I}), std::invalid_argument);
  CHECK_THROWS_AS(TrajectoryFilter(motion, one), std::invalid_argument);
  TrajectoryFilter filter(motion, I);
  CHECK_THROWS_AS(filter.update(I, Vector::Zero(1), one), std::invalid_argument);
  CHECK_THROWS_AS(filter.update(I, Vector::Zero(2), -5 * I), std::invalid_argument);
  CHECK_THROWS_AS(filter.predict(Vector::Zero(2), I), std::invalid_argument);
  CHECK_THROWS_AS(filter.ahead(Matrix::Zero(2, 2)), std::invalid_argument);
}

TEST_CASE("weights and covariances that are none are refused in any units, and those that are, taken",
          "[time_varying_lqr]") {
  using Catch::Matchers::Contains;
  std::mt19937 generator(2);
  const LinearizedMotion motion = random_motion(generator, 2, 1, 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double unit : {1e-13, 1.0, 1e13}) {
    const Matrix I = unit * Matrix::Identity(2, 2), one = unit * Matrix::Ones(1, 1);
    const Matrix bent = unit * Matrix{{1, 0}, {0, -1e-3}}, askew = unit * Matrix{{1, 0.9}, {-0.9, 1}};
    CHECK_NOTHROW(time_varying_lqr(motion, {{unit * Matrix::Ones(2, 2)}, {one}, Matrix::Zero(2, 2)}));
    CHECK_THROWS_WITH(time_varying_lqr(motion, {{I, bent, I}, {one}, I}), Contains("weight 1 of Q is not positive"));
    CHECK_THROWS_WITH(time_varying_lqr(motion, {{I}, {-1e-3 * one}, I}), Contains("weight 0 of R is not positive"));
    CHECK_THROWS_WITH(time_varying_lqr(motion, {{I}, {one}, bent}), Contains("final weight is not positive"));
    CHECK_THROWS_WITH(time_varying_lqr(motion, {{askew}, {one}, I}), Contains("not symmetric"));
    CHECK_THROWS_WITH(TrajectoryFilter(motion, bent), Contains("covariance is not positive"));
    CHECK_THROWS_WITH(TrajectoryFilter(motion, askew), Contains("not symmetric"));
    CHECK_THROWS_WITH(TrajectoryFilter(motion, nan * I), Contains("covariance is not finite"));
    CHECK_THROWS_WITH(TrajectoryFilter(motion, I, Vector::Constant(2, nan)), Contains("initial mean is not finite"));
    TrajectoryFilter filter(motion, I);
    const Matrix C{{1, 0}};
    CHECK_THROWS_WITH(filter.update(C, Vector::Zero(1), -0.1 * one), Contains("update: V is not positive"));
    CHECK_THROWS_WITH(filter.update(C, Vector::Constant(1, nan), one), Contains("dy is not finite"));
    CHECK_THROWS_WITH(filter.update(nan * C, Vector::Zero(1), one), Contains("C is not finite"));
    CHECK_THROWS_WITH(filter.predict(Vector::Constant(1, nan), I), Contains("du is not finite"));
    CHECK_THROWS_WITH(filter.predict(Vector::Zero(1), bent), Contains("predict: W is not positive"));
    CHECK_THROWS_WITH(filter.ahead(Matrix{{nan}}), Contains("pending is not finite"));
    CHECK(filter.step() == 0);
    CHECK(filter.covariance() == I);
    filter.update(C, Vector::Zero(1), one);
    filter.predict(Vector::Zero(1), Matrix::Zero(2, 2));
  }
  const planning::test::LinearDynamics steps{Matrix::Ones(1, 1), Matrix::Ones(1, 1)};
  CHECK_THROWS_WITH(linearize_along(steps, Matrix{{0, 1, nan}}, Matrix::Ones(1, 2)),
                    Contains("control 2 is not finite"));
  CHECK_THROWS_WITH(linearize_along(steps, Matrix{{0, 1, 2}}, Matrix{{nan, 1}}), Contains("control 0 is not finite"));
}
