// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/policy_run.hpp"

namespace studies::stroke {

/// learning_<seed>.csv: every iteration (Jia, Pan, Manocha 2019, Fig. 4c, is drawn of them); gait_learned.csv,
/// gait_planned.csv and, if it swam, that of the cross-entropy search, gait_searched.csv: time, torques, angles, rates,
/// pose of the head, centre of mass. study.json, one row: the seeds, and what all of them are compared with.
void write_data(const PolicyResult& result, const figures::OutputFolder& out);

}  // namespace studies::stroke
