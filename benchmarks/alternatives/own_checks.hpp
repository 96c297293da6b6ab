// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/curve.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/library.hpp"

#include <string>
#include <vector>

namespace benchmarks {

/// Checks of each method by itself: does it pass through its samples, is its Jacobian the derivative of
/// its value, do the named ones converge?
std::vector<Check> own_checks(const Workload& w, const std::vector<Curve>& curves,
                              const std::vector<std::string>& converging);

}  // namespace benchmarks
