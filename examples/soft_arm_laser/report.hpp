// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/soft_arm_laser/laser_run.hpp"
#include "examples/support/example_program.hpp"

#include <optional>

namespace quoin::laser {

/// One row per plan. pinned: the problem for which promises are made.
study::Report report_on(const std::optional<ArmResult<2>>& plane, const std::optional<ArmResult<3>>& space,
                        bool pinned);

}  // namespace quoin::laser
