// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/MatrixFunctions>

#include <stdexcept>
#include <string>

namespace quoin {

/// A linear time-invariant system of n states, m inputs, p outputs: continuous, dx/dt = A x + B u, or discrete,
/// x_{k+1} = A x_k + B u_k; y = C x + D u.
struct LinearSystem {
  Eigen::MatrixXd A;     ///< n x n
  Eigen::MatrixXd B;     ///< n x m
  Eigen::MatrixXd C;     ///< p x n
  Eigen::MatrixXd D;     ///< p x m
  double time_step = 0;  ///< s; 0: continuous

  Eigen::Index states() const { return A.rows(); }
  Eigen::Index inputs() const { return B.cols(); }
  Eigen::Index outputs() const { return C.rows(); }
};

/// A continuous system at samples, exact for inputs that are held from one to the next. Throws std::invalid_argument for a
/// discrete system and steps that are not positive.
inline LinearSystem held_step(const LinearSystem& continuous, double time_step) {
  if (continuous.time_step != 0 || !(time_step > 0))
    throw std::invalid_argument("held_step: a system of time step " + to_text(continuous.time_step) +
                                " s (0: continuous) at steps of " + to_text(time_step) + " s");
  const Eigen::Index n = continuous.states(), m = continuous.inputs();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.topRows(n) << continuous.A, continuous.B;
  const Eigen::MatrixXd step = (time_step * both).exp();
  return {step.topLeftCorner(n, n), step.topRightCorner(n, m), continuous.C, continuous.D, time_step};
}

}  // namespace quoin
