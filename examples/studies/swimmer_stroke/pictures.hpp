// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_stroke/stroke_run.hpp"

namespace studies::stroke {

/// plan_<key>.csv, one per plan: time, torques, angles, rates, pose of the head, centre of mass. Rows are the instants
/// 0 .. K; the torques of a row act in the step that follows, and are repeated in the last.
void write_csv(const StrokeResult& result, const figures::OutputFolder& out);

/// joints.svg: angles, torques and forward displacement over time, of the grid's plan and,
/// if it was made, the exact one.
void draw_joints(const StrokeResult& result, const figures::OutputFolder& out);

/// evaluations.svg: evaluations against iterations (Jia, Pan, Manocha 2019, Fig. 4b).
void draw_evaluations(const StrokeResult& result, const figures::OutputFolder& out);

/// path.svg: the plan in the space of joint angles, and the finest cells that it passes through.
void draw_path(const StrokeResult& result, const figures::OutputFolder& out);

}  // namespace studies::stroke
