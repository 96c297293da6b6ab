// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/history.hpp"
#include "examples/studies/snap_through/study.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace studies::branches {

/// Draws a shape of the body into a panel.
using ShapeDrawer = std::function<void(figures::SvgPanel&, const Eigen::VectorXd& y, const figures::SvgStyle&)>;

/// One coordinate of points in a plane, to draw them.
std::vector<double> column(const std::vector<Point<2>>& points, int axis);

/// <key>_branches.svg: along the line of queries both branches, f, and the grids' answers; the two shapes at the jump.
void draw_branches(const Result& result, const ShapeDrawer& draw_shape, const figures::OutputFolder& out);

/// <key>_errors.svg: errors along the line of queries.
void draw_errors(const Result& result, const figures::OutputFolder& out);

/// <key>_cells.svg: in the plane of the loads, the cells that answered, corners by their labels, jump and folds.
void draw_cells(const Result& result, const figures::OutputFolder& out);

/// <key>_history.svg: a body that follows its loads, through grids swept up and down.
void draw_history(const History& history, const figures::OutputFolder& out);

}  // namespace studies::branches
