// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/swimmer_stroke/stroke_run.hpp"
#include "quoin/io/output_folder.hpp"

namespace quoin::stroke {

/// plan_<key>.csv, one per plan: time, torques, angles, rates, pose of the head, centre of mass. Rows are the instants 0 .. K;
/// the torques of a row act in the step that follows, and are repeated in the last.
void write_csv(const StrokeResult& result, const io::OutputFolder& out);

/// joints.svg: angles, torques and the way forward over time, of the grid's plan and, if it was made, the exact one.
void draw_joints(const StrokeResult& result, const io::OutputFolder& out);

/// evaluations.svg: evaluations against iterations (Jia, Pan, Manocha 2019, Fig. 4b).
void draw_evaluations(const StrokeResult& result, const io::OutputFolder& out);

/// path.svg: the plan among the joint angles, and the finest cells that it passes.
void draw_path(const StrokeResult& result, const io::OutputFolder& out);

}  // namespace quoin::stroke
