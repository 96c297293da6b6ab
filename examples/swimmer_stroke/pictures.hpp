// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/swimmer_stroke/stroke_run.hpp"
#include "examples/swimmer_stroke/swim_frames.hpp"
#include "quoin/io/output_folder.hpp"

#include <vector>

namespace quoin::stroke {

/// plan_<key>.csv, one per plan: time, torques, angles, rates, pose of the head, centre of mass. Rows are the instants 0 .. K;
/// the torques of a row act in the step that follows, and are repeated in the last.
void write_csv(const StrokeResult& result, const io::OutputFolder& out);

/// swim.pvd: the stroke for ParaView, with potential and velocity on the swimmer and the locus of the centre of mass.
void write_frames(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                  const io::OutputFolder& out);

/// swim.svg: the swimmer from above at some instants, one below the other, coloured by the potential on its surface, with
/// the locus of its centre of mass (Jia, Pan, Manocha 2019, Fig. 5c).
void draw_swim(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
               const io::OutputFolder& out);

/// swim_moving.svg: the same as an animation, in real time.
void draw_moving(const Fish& fish, const Eigen::MatrixXd& states, const std::vector<SwimFrame>& frames,
                 const io::OutputFolder& out);

/// joints.svg: angles, torques and the way forward over time, of the grid's plan and, if it was made, the exact one.
void draw_joints(const StrokeResult& result, const io::OutputFolder& out);

/// evaluations.svg: evaluations against iterations (Jia, Pan, Manocha 2019, Fig. 4b).
void draw_evaluations(const StrokeResult& result, const io::OutputFolder& out);

/// path.svg: the plan among the joint angles, and the finest cells that it passes.
void draw_path(const StrokeResult& result, const io::OutputFolder& out);

}  // namespace quoin::stroke
