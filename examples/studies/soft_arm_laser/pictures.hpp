// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"

namespace studies::laser {

/// Writes one file per plan: time, controls, alphas, spot as planned, spot on Eq. 2, the same of the plan that was
/// finished there, target. Rows are the instants 0 .. K; the controls of a row act in the step that follows, and are
/// repeated in the last.
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

/// plans.json: names of the plans and their evaluations against iterations, for spot_<D>d.svg and evaluations.svg (Jia,
/// Pan, Manocha 2019, Fig. 4a). Null: not run.
void write_plans(const ArmResult<2>* plane, const ArmResult<3>* space, const figures::OutputFolder& out);

/// What cells.svg shows, visited cells and iterates in the plane of the grid (Jia, Pan, Manocha 2019, Fig. 3):
/// cells_2d.csv, their lower corners by level; corners_2d.csv, all evaluations; iterates_2d.csv, the first three.
void write_cells(const ArmResult<2>& result, const figures::OutputFolder& out);

}  // namespace studies::laser
