// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// x' = A x + a + B u with u ~ N(0, H^-1), the distribution exp{-1/2 u^T H u} of the controls, and hence
/// P(x' | x) = N(A x + a, B H^-1 B^T) (Zarubin et al. 2012, Eqs. 9, 10). A is n x n, a n, B n x m, of any rank. Process
/// noise is a further control: with B = [B_u, F] and H = diag(H_u, 1) it adds F F^T.
struct LinearStep {
  Eigen::MatrixXd A;  ///< n x n
  Eigen::VectorXd a;  ///< n
  Eigen::MatrixXd B;  ///< n x m
};

/// x = (q, qd) with accelerations as controls, semi-implicit: qd' = qd + dt u, q' = q + dt qd'. n = 2 coordinates.
/// Throws std::invalid_argument unless dt and the number of coordinates are positive.
LinearStep second_order_step(Eigen::Index coordinates, double dt);

/// The controls (d x T) with which `second_order_step` leads q through the columns of path (d x (T+1)), from its first
/// one and the velocity there: qd_{t+1} = (q_{t+1} - q_t) / dt, u_t = (qd_{t+1} - qd_t) / dt.
Eigen::MatrixXd second_order_controls(const Eigen::MatrixXd& path, const Eigen::VectorXd& initial_velocity, double dt);

/// N(mean, covariance); the covariance may be singular, and empty for none.
struct Gaussian {
  Eigen::VectorXd mean;             ///< n
  Eigen::MatrixXd covariance = {};  ///< n x n, or empty for none
};

/// P(x_T | x_0) after the T given steps (Zarubin et al. 2012, Eq. 11). O(T n^3). Throws std::invalid_argument for sizes
/// that disagree, or a control cost H (m x m) that is not positive definite.
Gaussian propagate(const Gaussian& start, const std::vector<LinearStep>& steps, const Eigen::MatrixXd& control_cost);

/// The same for one step taken `times` times: Eq. 12.
Gaussian propagate(const Gaussian& start, const LinearStep& step, int times, const Eigen::MatrixXd& control_cost);

}  // namespace quoin::planning
