// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/support/plan.hpp"
#include "quoin/io/json_results.hpp"

#include <string>

namespace quoin::study {

/// Steps that the planner took, over all rounds.
int iterations(const Plan& plan);

/// How many evaluations each round added: "80 + 24 + 9".
std::string evaluations_by_round(const Plan& plan);

/// The row with what may be extrapolated as words: "8940", or "~ 8940" if it was not all done.
io::ResultRow worded(const io::ResultRow& row);

}  // namespace quoin::study
