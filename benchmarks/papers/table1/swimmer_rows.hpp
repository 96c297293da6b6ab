// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// Row 2: the swimmer's stroke planned through the grid, through a kernel and on the flow itself; the
/// last to its end at the coarsest mesh, one iteration at the default mesh, the rest extrapolated and
/// labelled so. Adds rows and checks.
void tell_swimmer(Report& report, bool quick);

}  // namespace benchmarks
