// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/linear_system.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <optional>

namespace quoin::identification {

/// The continuous system that this discrete one samples with a zero-order hold, by the matrix logarithm; of several,
/// the slowest. Empty if a pole is negative or zero: no real system of n states has such samples. Throws
/// std::invalid_argument for a continuous system, and shapes that do not fit.
std::optional<LinearSystem> continuous_of(const LinearSystem& discrete);

/// Eigenvalues of A. A continuous system is stable if their real parts are negative, a discrete one if their magnitudes
/// are below one.
Eigen::VectorXcd poles(const LinearSystem& system);

}  // namespace quoin::identification
