// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// Row 3, the swimmer learning to swim: adds the paper's row, ours and their checks to the report; without libtorch
/// only the paper's. quick: a coarse mesh and a few iterations.
void tell_policy(Report& report, bool quick);

}  // namespace benchmarks
