// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/fluidic_brace/brace_study.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"

#include <string>

namespace studies::brace {

/// Tables, rows and checks, which bind for plants of the default spread.
studies::Report report_on(const BraceResults& results);

/// Draws Fig. 15 and the motions behind it; returns a line for each file written.
std::string write_data(const BraceResults& results, const figures::OutputFolder& out);

}  // namespace studies::brace
