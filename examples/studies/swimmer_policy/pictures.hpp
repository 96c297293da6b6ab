// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_policy/policy_run.hpp"

namespace studies::stroke {

/// learning_<seed>.csv: every iteration; gait_learned.csv, gait_planned.csv: time, torques, angles, rates, pose
/// of the head, centre of mass.
void write_csv(const PolicyResult& result, const figures::OutputFolder& out);

/// Plots. returns.svg: distances of the policies' means, and their returns, against iterations, with the spread over
/// seeds. evaluations.svg: exact evaluations with and without the grid against iterations (Jia, Pan, Manocha 2019,
/// Fig. 4c), and the distance against them. gait.svg: angles over time and as loops, and forward displacement: the
/// learned gait beside the planned one. learned: false, if a policy from a file was only replayed: the last alone.
void draw_plots(const PolicyResult& result, bool learned, const figures::OutputFolder& out);

}  // namespace studies::stroke
