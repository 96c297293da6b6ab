// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"

#include <string>
#include <vector>

namespace studies {

/// Number of the planner's steps, over all rounds.
int iterations(const Plan& plan);

/// The evaluations that each round added, as text: "80 + 24 + 9".
std::string evaluations_by_round(const Plan& plan);

/// Markdown: what planning cost, a line for each row, with columns before and after; "~ 8940" is extrapolated.
std::string table_of_plans(const figures::JsonResults& rows, std::vector<figures::MarkdownColumn> before,
                           const std::vector<figures::MarkdownColumn>& after);

}  // namespace studies
