// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"

#include <string>

namespace studies {

/// Number of the planner's steps, over all rounds.
int iterations(const Plan& plan);

/// The evaluations that each round added, as text: "80 + 24 + 9".
std::string evaluations_by_round(const Plan& plan);

/// The row with entries that may be extrapolated as text: "8940", or "~ 8940" if extrapolated.
figures::ResultRow worded(const figures::ResultRow& row);

}  // namespace studies
