// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"

namespace studies::laser {

/// Leaves of a report what fits on a screen: the arm in space, planned on the mesh and through grids. The whole of it
/// goes to report.md, beside index.html, which shows the pictures.
void shorten(studies::Report& report, const ArmResult<3>& result, const figures::OutputFolder& out);

}  // namespace studies::laser
