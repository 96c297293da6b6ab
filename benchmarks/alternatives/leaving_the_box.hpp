// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/alternatives/workloads.hpp"
#include "benchmarks/support/library.hpp"

#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

/// How surrogates of a box fare when the path leaves it: the error of the smallest stage that meets 1e-4 in the box, at
/// points of the box's boundary pushed outwards. As Markdown.
std::string leaving_table(const std::vector<std::pair<std::string, SampledFunction>>& functions, const Sizes& sizes);

}  // namespace benchmarks
