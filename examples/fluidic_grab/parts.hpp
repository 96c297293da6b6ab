// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/fluidic_grab/program_options.hpp"
#include "examples/support/example_program.hpp"

namespace quoin::grab {

/// The parts of the study, in the paper's order: each adds its tables, rows, notes, checks and pictures to the report.
void identify(study::Report& report, const ProgramOptions& options,
              const io::OutputFolder& out);  // section 4: Table 1, Figs. 4 to 6
void find_reachable(study::Report& report, const ProgramOptions& options,
                    const io::OutputFolder& out);  // Eq. 21, Fig. 7
void plan_grabs(study::Report& report, const ProgramOptions& options,
                const io::OutputFolder& out);                                // Table 2, Figs. 8, 9
void find_realizable(study::Report& report, const ProgramOptions& options);  // section 5.2.2
void learn_grabs(study::Report& report, const ProgramOptions& options,
                 const io::OutputFolder& out);  // Table 3, Figs. 10, 11

}  // namespace quoin::grab
