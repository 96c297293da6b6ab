// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace quoin::planning {

/// Calls work(i) for i = 0..count-1, on `threads` threads of which this is one. Returns the least i whose work returned
/// false, or count. The first exception is thrown here, after all threads have ended.
int for_each_stage(int threads, int count, const std::function<bool(int)>& work);

}  // namespace quoin::planning
