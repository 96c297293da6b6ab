// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/fluidic_brace/brace_study.hpp"
#include "examples/support/example_program.hpp"
#include "quoin/io/output_folder.hpp"

#include <string>

namespace quoin::brace {

/// Tables, rows and checks; `pinned`: the study for which the claims are made.
study::Report report_on(const BraceResults& results, const MotionOptions& options, bool pinned);

/// Fig. 15 and the motions behind it; which files were written, a line each.
std::string draw(const BraceResults& results, const MotionOptions& options, const io::OutputFolder& out);

}  // namespace quoin::brace
