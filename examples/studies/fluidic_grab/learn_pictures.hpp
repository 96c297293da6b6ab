// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/fluidic_grab/learn_study.hpp"
#include "examples/studies/program/library.hpp"

#include <string>

namespace studies::grab {

/// Fig. 10: the tip's velocity over its position, all attempts of each experiment. Returns a line for each file.
std::string draw_tip_states(const ProtocolRun& run, const figures::OutputFolder& out);

/// Fig. 11: the third experiment's plan and its execution: shapes, references and volumes, torques.
std::string draw_realization(const ProtocolRun& run, const figures::OutputFolder& out);

}  // namespace studies::grab
