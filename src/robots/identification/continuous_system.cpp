// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/continuous_system.hpp"

#include <Eigen/Eigenvalues>
#include <unsupported/Eigen/MatrixFunctions>

#include <cmath>

namespace quoin::identification {

using Eigen::Index;
using Eigen::MatrixXd;

std::optional<LinearSystem> continuous_of(const LinearSystem& discrete) {
  check(discrete, true, "continuous_of");
  for (const auto& pole : poles(discrete))
    if (pole.real() <= 0 && std::abs(pole.imag()) <= 1e-12 * std::abs(pole)) return std::nullopt;
  const Index n = discrete.states(), m = discrete.inputs();
  MatrixXd block = MatrixXd::Identity(n + m, n + m);
  block.topLeftCorner(n, n) = discrete.A;
  block.topRightCorner(n, m) = discrete.B;
  const MatrixXd rate = block.log() / discrete.time_step;
  if (!rate.allFinite()) return std::nullopt;
  return LinearSystem{rate.topLeftCorner(n, n), rate.topRightCorner(n, m), discrete.C, discrete.D, 0};
}

Eigen::VectorXcd poles(const LinearSystem& system) {
  return Eigen::EigenSolver<MatrixXd>(system.A, false).eigenvalues();
}

}  // namespace quoin::identification
