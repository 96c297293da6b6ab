// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <thread>

namespace studies {

/// Number of threads that this machine runs at once.
inline int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

}  // namespace studies
