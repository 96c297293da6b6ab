// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/fluidic_grab/learn_study.hpp"
#include "quoin/io/output_folder.hpp"

#include <string>

namespace quoin::grab {

/// Fig. 10: the tip's velocity over its position, all attempts of each experiment. Returns what was written.
std::string draw_tip_states(const ProtocolRun& run, const io::OutputFolder& out);

/// Fig. 11: the third experiment's plan and what became of it: shapes, references and volumes, torques.
std::string draw_realization(const ProtocolRun& run, const io::OutputFolder& out);

}  // namespace quoin::grab
