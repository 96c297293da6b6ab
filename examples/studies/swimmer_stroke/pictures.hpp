// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimmer_stroke/stroke_run.hpp"

namespace studies::stroke {

/// plan_<key>.csv, one per plan: time, torques, angles, rates, pose of the head, centre of mass. Rows are the instants
/// 0 .. K; the torques of a row act in the step that follows, and are repeated in the last. plans.json: the plans'
/// names, their evaluations against iterations (Jia, Pan, Manocha 2019, Fig. 4b), and the spacings of their grids.
void write_plans(const StrokeResult& result, const figures::OutputFolder& out);

}  // namespace studies::stroke
