// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"

namespace studies::laser {

/// Writes one file per plan: time, controls, alphas, spot as planned, spot on Eq. 2, target. Rows are the instants 0 ..
/// K; the controls of a row act in the step that follows, and are repeated in the last.
template <int SpaceDim>
void write_csv(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out);

/// The grid's plan replayed on Eq. 2 for ParaView: arm_<D>d.pvd, a frame every few steps.
template <int SpaceDim>
void write_frames(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, int every);

/// The same as plots: arm_<D>d.svg, several instants over each other beside the spot's path, and arm_<D>d_moving.svg.
template <int SpaceDim>
void draw_arm(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out, int every);

/// obstacles.svg: the second scene.
void draw_obstacles(const ArmResult<3>& result, const figures::OutputFolder& out);

/// spot_<D>d.svg: the spot of each plan, replayed on Eq. 2, against the circle, and its error over time.
template <int SpaceDim>
void draw_spots(const ArmResult<SpaceDim>& result, const figures::OutputFolder& out);

/// evaluations.svg: exact evaluations against iterations (Jia, Pan, Manocha 2019, Fig. 4a). Null: not run.
void draw_evaluations(const ArmResult<2>* plane, const ArmResult<3>* space, const figures::OutputFolder& out);

/// cells.svg: visited cells and iterates in the plane of the grid (Jia, Pan, Manocha 2019, Fig. 3).
void draw_cells(const ArmResult<2>& result, const figures::OutputFolder& out);

}  // namespace studies::laser
