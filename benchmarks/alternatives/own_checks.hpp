// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "alternatives/curve.hpp"
#include "alternatives/workload.hpp"
#include "benchmarks/support/benchmark_program.hpp"

#include <vector>

namespace quoin::benchmarks {

/// Each method by itself: does it pass through what it sampled, is its Jacobian the derivative of its value, does it
/// converge?
std::vector<Check> own_checks(const Workload& w, const std::vector<Curve>& curves);

}  // namespace quoin::benchmarks
