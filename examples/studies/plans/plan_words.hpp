// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"

#include <string>

namespace studies {

/// Steps that the planner took, over all rounds.
int iterations(const Plan& plan);

/// How many evaluations each round added: "80 + 24 + 9".
std::string evaluations_by_round(const Plan& plan);

/// The row with what may be extrapolated as words: "8940", or "~ 8940" if it was not all done.
figures::ResultRow worded(const figures::ResultRow& row);

}  // namespace studies
