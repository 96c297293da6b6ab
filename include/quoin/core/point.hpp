// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// A point of the low-dimensional space over which an expensive function is tabulated.
template <int Dim>
using Point = Eigen::Matrix<double, Dim, 1>;

}  // namespace quoin
