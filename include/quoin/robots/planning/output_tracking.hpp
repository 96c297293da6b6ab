// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/linear_system.hpp"

#include <Eigen/Core>

namespace quoin::planning {

/// The inputs found, and what they lead to.
struct OutputTracking {
  Eigen::VectorXd inputs;    ///< u_0..u_{K-1}, within their bounds
  Eigen::VectorXd outputs;   ///< y_1..y_K that they give
  double largest_error = 0;  ///< of |y_k - wanted_k|: what the system cannot follow
};

/// The inputs, within bounds, with which a linear system of one input and one output best follows a profile, from rest
/// (Marchese, Tedrake, Rus 2015, Eqs. 29 and 30, for squared errors: one convex quadratic program, solved exactly):
///
///     minimize  sum_k (y_k - wanted_k)^2 + smoothing sum_k (u_k - u_{k-1})^2,   lower <= u_k <= upper
///
///     auto held = track_output(discretized(cylinder, 0.02), volumes, -60, 60);
///
/// sampled: discrete, with D = 0; wanted: K outputs, the first after one step. O(K^3). Throws std::invalid_argument for
/// any other system, a response that overflows, bounds that cross, and a smoothing that is not positive.
OutputTracking track_output(const LinearSystem& sampled, const Eigen::VectorXd& wanted, double lower, double upper,
                            double smoothing = 1e-4);

}  // namespace quoin::planning
