// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace quoin::planning {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace quoin::planning
