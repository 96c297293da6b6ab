// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/swimmer_policy/policy_run.hpp"

namespace studies::stroke {

/// One row per seed, one for the planned stroke, one for the cross-entropy method. learned: false if a policy from a
/// file was only replayed; pinned: the problem for which claims are checked.
studies::Report report_on(const PolicyResult& result, bool learned, bool pinned);

}  // namespace studies::stroke
