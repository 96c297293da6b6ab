// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

namespace benchmarks {

/// Row 1: the soft arm's laser problem planned through the grid, through a kernel and without either, all of them run
/// to the end. Adds rows and checks.
void tell_soft_arm(Report& report, bool quick);

}  // namespace benchmarks
