// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/figures/output_folder.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/snap_through/snap_plan.hpp"

namespace studies::branches {

/// What was found on an arch's branches.
struct BranchResult {
  Loop loop = {};
  SnapTask task = {};
  SnapPlan plan = {};
  Replay replayed = {};
};

BranchResult study_branches(const ArchBranches& branches);

/// Adds rows, notes and checks.
void add(studies::Report& report, const BranchResult& result);

/// arch_sheets.json: the hysteresis loop; folds and the plan in the plane of the loads; the arch on its way.
void write_sheets(const ArchBranches& branches, const BranchResult& result, const figures::OutputFolder& out);

}  // namespace studies::branches
