// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

namespace quoin::identification::detail {

/// Uniform in [0, 1): the same with every standard library, which std::uniform_real_distribution does not promise.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace quoin::identification::detail
