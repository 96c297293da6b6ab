// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>

#include <random>

namespace quoin::planning::test {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline Matrix random_matrix(std::mt19937& generator, Eigen::Index rows, Eigen::Index cols) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Matrix::NullaryExpr(rows, cols, [&] { return uniform(generator); });
}

}  // namespace quoin::planning::test
