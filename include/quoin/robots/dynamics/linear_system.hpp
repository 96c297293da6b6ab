// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// A linear time-invariant system of n states, m inputs, p outputs: continuous, dx/dt = A x + B u, or discrete,
/// x_{k+1} = A x_k + B u_k; y = C x + D u.
///
///     LinearSystem drive = ...;                              // continuous
///     LinearSystem sampled = discretized(drive, 0.02);       // exact for inputs that are held
///     Eigen::MatrixXd y = simulate(sampled, inputs);         // 1 x T
///
/// The functions are compiled: link quoin::dynamics to call them.
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

/// Throws std::invalid_argument, with a message that begins with `who`, for shapes that do not fit, and unless the
/// system is discrete or continuous as is asked.
void check(const LinearSystem& system, bool discrete, const char* who);

/// The course of a continuous system's inputs between samples.
enum class Hold {
  zero_order,  ///< the input is constant between samples
  first_order  ///< the input is linear between samples
};

/// Samples the continuous system by one matrix exponential, exactly for inputs of that kind. With a first-order hold
/// the discrete state is x - G u, where G is the response to a ramp: start it at x(0) - held_state_shift(...) u(0), or
/// at rest with u(0) = 0. Throws std::invalid_argument for a discrete system, shapes that do not fit, and steps that
/// are not positive.
LinearSystem discretized(const LinearSystem& continuous, double time_step, Hold hold = Hold::zero_order);
Eigen::MatrixXd held_state_shift(const LinearSystem& continuous, double time_step);  ///< G: n x m

/// Outputs y_k (p x T) of a discrete system for inputs u_k (m x T) from the state x_0 (zero if empty).
/// O(T (n + p) (n + m)). Throws std::invalid_argument for a continuous system, and shapes that do not fit.
Eigen::MatrixXd simulate(const LinearSystem& discrete, const Eigen::Ref<const Eigen::MatrixXd>& inputs,
                         const Eigen::VectorXd& initial_state = {});

}  // namespace quoin
