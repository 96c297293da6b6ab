// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/convergence/curve.hpp"
#include "benchmarks/support/library.hpp"

#include <vector>

namespace benchmarks {

/// Number of points at which errors on the arm are measured.
constexpr int arm_points(bool quick) { return quick ? 20 : 60; }

/// Errors of f_s of the soft arm, in its displacements and their Jacobian: K = 1, K = 2 and the zero twist.
std::vector<Curve> curves_on_arm(bool quick);

}  // namespace benchmarks
