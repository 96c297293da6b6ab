// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/swimmer_stroke/stroke_run.hpp"

namespace studies::stroke {

/// One row per plan. pinned: the problem for which claims are checked.
studies::Report report_on(const StrokeResult& result, bool pinned);

}  // namespace studies::stroke
