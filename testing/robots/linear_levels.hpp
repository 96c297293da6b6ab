// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/hierarchical_aico.hpp"
#include "testing/robots/dense_map.hpp"

#include <cmath>
#include <random>

namespace quoin::planning::test {

/// Two coordinates under second-order motion with a task in the middle and one at the end, and y = C q + c above.
struct LinearLevels {
  int T = 10;
  Matrix C;
  Vector c;
  LinearChain chain;
  UpperLevel level;

  LinearLevels(unsigned seed, int m, const MotionPrior& prior, double rho) {
    std::mt19937 generator(seed);
    C = random_matrix(generator, m, 2);
    c = random_matrix(generator, m, 1);
    chain.H = 0.5 * Matrix::Identity(2, 2);
    chain.mean = random_matrix(generator, 4, 1);
    chain.steps.assign(T, second_order_step(2, 0.2));
    chain.tasks.resize(T + 1);
    for (LocalTask& task : chain.tasks) task.set_zero(4);
    chain.tasks[4].add(-random_matrix(generator, 1, 1), random_matrix(generator, 1, 2), Vector::Zero(4));
    chain.tasks[T].add(-10 * random_matrix(generator, 2, 1), 10 * Matrix::Identity(2, 2), Vector::Zero(4));
    level = {.prior = prior, .size = m, .precision = Vector::Constant(T + 1, rho)};
    level.precision[6] = 0;
    level.map = [C = C, c = c](int, const Vector& q, Vector& y, Matrix& J) {
      y = C * q + c;
      J = C;
      return true;
    };
  }

  /// The constant that the factors' messages omit from their costs.
  double constant() const { return 0.5 * level.precision.sum() * c.squaredNorm(); }

  /// Both levels as one chain of (x, z), from the formulas.
  LinearChain joint() const {
    const LinearStep& upper = level.prior.step;
    const int n = 4, k = static_cast<int>(upper.A.rows()), m = static_cast<int>(level.size);
    LinearChain both;
    both.H = Matrix::Zero(2 + upper.B.cols(), 2 + upper.B.cols());
    both.H.topLeftCorner(2, 2) = chain.H;
    both.H.bottomRightCorner(upper.B.cols(), upper.B.cols()) = level.prior.control_cost;
    both.mean = Vector::Zero(n + k);
    both.mean.head(n) = chain.mean;
    both.mean.segment(n, m) = C * chain.mean.head(2) + c;
    LinearStep step{Matrix::Zero(n + k, n + k), Vector::Zero(n + k), Matrix::Zero(n + k, 2 + upper.B.cols())};
    step.A.topLeftCorner(n, n) = chain.steps[0].A;
    step.A.bottomRightCorner(k, k) = upper.A;
    step.B.topLeftCorner(n, 2) = chain.steps[0].B;
    step.B.bottomRightCorner(k, upper.B.cols()) = upper.B;
    both.steps.assign(T, step);
    for (int t = 0; t <= T; ++t) {
      LocalTask task;
      task.set_zero(n + k);
      task.R.topLeftCorner(n, n) = chain.tasks[t].R;
      task.r.head(n) = chain.tasks[t].r;
      Matrix J = Matrix::Zero(m, n + m);
      J.leftCols(2) = C;
      J.rightCols(m) = -Matrix::Identity(m, m);
      const double root = std::sqrt(level.precision[t]);
      task.add(root * c, root * J, Vector::Zero(n + k));
      both.tasks.push_back(task);
    }
    return both;
  }
};

}  // namespace quoin::planning::test
