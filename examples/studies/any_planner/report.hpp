// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/any_planner/study.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"

namespace studies::any_planner {

/// A row for each planner and dynamics; those for programs are of single runs.
studies::Report report_on(const Results& results, const StudyChoice& choice);

}  // namespace studies::any_planner
