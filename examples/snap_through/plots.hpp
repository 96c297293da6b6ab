// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/snap_through/history.hpp"
#include "examples/snap_through/study.hpp"
#include "quoin/io/output_folder.hpp"
#include "quoin/io/svg_plot.hpp"

#include <Eigen/Core>

#include <functional>

namespace quoin::branches {

/// Draws a shape of the body into a panel.
using ShapeDrawer = std::function<void(io::SvgPanel&, const Eigen::VectorXd& y, const io::SvgStyle&)>;

/// <key>_branches.svg: along the line of queries both branches, f, and what grids answer; the two shapes at the jump.
void draw_branches(const Result& result, const ShapeDrawer& draw_shape, const io::OutputFolder& out);

/// <key>_errors.svg: errors along the line of queries.
void draw_errors(const Result& result, const io::OutputFolder& out);

/// <key>_cells.svg: in the plane of the loads, cells that answered, corners by their labels, jump and folds.
void draw_cells(const Result& result, const io::OutputFolder& out);

/// <key>_history.svg: a body that follows its loads, through grids swept up and down.
void draw_history(const History& history, const io::OutputFolder& out);

}  // namespace quoin::branches
