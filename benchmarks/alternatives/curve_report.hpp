// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/curve.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

#include <vector>

namespace benchmarks {

/// Adds one row for each method: evaluations for each target, and everything else measured.
void add_rows(Report& report, const Workload& w, const std::vector<Curve>& curves);

}  // namespace benchmarks
