// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "alternatives/curve.hpp"
#include "alternatives/workload.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/io/svg_plot.hpp"

#include <vector>

namespace quoin::benchmarks {

/// One row for each method: evaluations for each target, and all that was measured.
void add_rows(Report& report, const Workload& w, const std::vector<Curve>& curves);

/// One panel: errors of the value against evaluations.
void draw(io::SvgPlot& plot, const Workload& w, const std::vector<Curve>& curves);

}  // namespace quoin::benchmarks
