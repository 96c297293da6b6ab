// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/fluidic_grab/learn_study.hpp"
#include "examples/studies/program/library.hpp"

#include <string>

namespace studies::grab {

/// What Fig. 10 shows, the tip's velocity over its position in all attempts of each experiment: grab_attempts.csv and
/// grab_experiments.json.
void write_tip_states(const ProtocolRun& run, const figures::OutputFolder& out);

/// What Fig. 11 shows, the third experiment's plan and its execution: grab_realization.json with shapes, .csv with
/// references, volumes and torques. Returns a line for the picture; an empty one if the machine stopped at once.
std::string write_realization(const ProtocolRun& run, const figures::OutputFolder& out);

}  // namespace studies::grab
