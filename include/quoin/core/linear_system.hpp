// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <unsupported/Eigen/MatrixFunctions>

namespace quoin {

/// dx/dt = A x + B u, y = C x + D u: A n x n, B n x m, C p x n, D p x m.
struct LinearSystem {
  Eigen::MatrixXd A, B, C, D;
};

/// x' = A x + B u over one step with u held, exactly.
struct HeldStep {
  Eigen::MatrixXd A, B;
};

inline HeldStep held_step(const LinearSystem& system, double duration) {
  const Eigen::Index n = system.A.rows(), m = system.B.cols();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.topRows(n) << system.A, system.B;
  const Eigen::MatrixXd step = (duration * both).exp();
  return {.A = step.topLeftCorner(n, n), .B = step.topRightCorner(n, m)};
}

}  // namespace quoin
