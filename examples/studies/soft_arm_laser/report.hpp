// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/program/report.hpp"
#include "examples/studies/soft_arm_laser/laser_run.hpp"

#include <optional>

namespace studies::laser {

/// One row per plan. pinned: the problem for which claims are checked.
studies::Report report_on(const std::optional<ArmResult<2>>& plane, const std::optional<ArmResult<3>>& space,
                          bool pinned);

}  // namespace studies::laser
