// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/snap_through/snap_plan.hpp"

namespace studies::branches {

/// What was found on an arch's sheets.
struct SheetResult {
  Loop loop = {};
  SnapTask task = {};
  SnapPlan plan = {};
  Replay replayed = {};
};

SheetResult study_sheets(const ArchSheets& sheets);

/// Adds rows, notes and checks.
void add(studies::Report& report, const SheetResult& result);

/// The hysteresis loop; the plan in the plane of the loads; the arch on its way. arch_sheets.svg.
void draw_sheets(const ArchSheets& sheets, const SheetResult& result, const figures::OutputFolder& out);

}  // namespace studies::branches
