// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/swimmer_policy/policy_run.hpp"
#include "quoin/io/output_folder.hpp"

namespace quoin::stroke {

/// learning_<seed>.csv: every iteration; gait_learned.csv, gait_planned.csv: time, torques, angles, rates, pose of the head,
/// centre of mass.
void write_csv(const PolicyResult& result, const io::OutputFolder& out);

/// returns.svg: what the policies' means swim, and their returns, against iterations, with the spread over seeds.
void draw_returns(const PolicyResult& result, const io::OutputFolder& out);

/// evaluations.svg: exact evaluations with and without the grid against iterations (Jia, Pan, Manocha 2019, Fig. 4c), and
/// what is swum against them.
void draw_evaluations(const PolicyResult& result, const io::OutputFolder& out);

/// gait.svg: angles over time and as loops, and the way forward: the learned gait beside the planned one.
void draw_gait(const PolicyResult& result, const io::OutputFolder& out);

}  // namespace quoin::stroke
