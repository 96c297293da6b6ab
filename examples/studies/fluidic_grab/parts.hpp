// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/fluidic_grab/program_options.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"

namespace studies::grab {

/// The parts of the study, in the paper's order: each adds its tables, rows, notes, checks and pictures to the report.
void identify(studies::Report& report, const ProgramOptions& options,
              const figures::OutputFolder& out);  // section 4: Table 1, Figs. 4 to 6
void find_reachable(studies::Report& report, const ProgramOptions& options,
                    const figures::OutputFolder& out);  // Eq. 21, Fig. 7
void plan_grabs(studies::Report& report, const ProgramOptions& options,
                const figures::OutputFolder& out);                             // Table 2, Figs. 8, 9
void find_realizable(studies::Report& report, const ProgramOptions& options);  // section 5.2.2
void learn_grabs(studies::Report& report, const ProgramOptions& options,
                 const figures::OutputFolder& out);  // Table 3, Figs. 10, 11

}  // namespace studies::grab
