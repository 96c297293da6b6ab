// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/snap_through/study.hpp"

#include <Eigen/Core>

#include <functional>

namespace studies::branches {

/// A shape of the body as lines in a plane, from its outputs; a column of NaN between two lines.
using ShapeLines = std::function<Eigen::Matrix2Xd(const Eigen::VectorXd& y)>;

/// What pictures need beside the files of write_csv. <key>_setup.json, one row: names, domain, the jump.
/// <key>_cases.json, a row for each grid: the cells that answered, the corners with their labels. <key>_shapes.json:
/// the two shapes at the jump, and their mean.
void write_plot_data(const Result& result, const ShapeLines& lines, const figures::OutputFolder& out);

}  // namespace studies::branches
