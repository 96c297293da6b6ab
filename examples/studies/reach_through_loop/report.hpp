// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/reach_through_loop/reach_study.hpp"

namespace studies::loop {

/// Tables, notes and checks.
studies::Report report_on(const StudyResults& results);

}  // namespace studies::loop
