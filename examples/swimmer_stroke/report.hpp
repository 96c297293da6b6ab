// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/support/example_program.hpp"
#include "examples/swimmer_stroke/stroke_run.hpp"

namespace quoin::stroke {

/// One row per plan. pinned: the problem for which promises are made.
study::Report report_on(const StrokeResult& result, bool pinned);

}  // namespace quoin::stroke
