// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/convergence/curve.hpp"
#include "benchmarks/support/library.hpp"

#include <vector>

namespace benchmarks {

/// Number of points at which errors on the waves are measured.
constexpr int wave_points(bool quick) { return quick ? 1000 : 4000; }

/// The largest errors of every method on smooth waves that do not separate. Dim: 1 to 4.
template <int Dim>
std::vector<Curve> curves_on_waves(bool quick);

}  // namespace benchmarks
