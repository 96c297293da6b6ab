// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/method.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/library.hpp"

#include <vector>

namespace benchmarks {

/// The on-demand grids: of values only, of jets of order 1 to 2 or 3, and, on a path, one in tolerance mode. They keep
/// a reference to the workload. Dim: 2, 3, 4 or 6.
template <int Dim>
std::vector<Method> grids(const Workload& w);

}  // namespace benchmarks
