// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/benchmark_program.hpp"

namespace benchmarks {

/// The first seed of all draws: tests use small ones.
constexpr unsigned first_seed = 10001;

void messages(Report& report, bool quick);  ///< against the dense solution: the report's first table
void scenes(Report& report, bool quick);    ///< relinearization and damping over scenes with a disc in the way
void levels(Report& report, bool quick);    ///< rounds until two levels agree
void times(Report& report, bool quick);     ///< of messages, sweeps and remapping, beside a product of matrices

}  // namespace benchmarks
