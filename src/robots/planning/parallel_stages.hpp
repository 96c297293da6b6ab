// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace quoin::planning {

/// parallel_for over work(i) until one fails: returns the least i whose work returned false, or count. Later ones
/// may have been skipped.
int for_each_stage(int threads, int count, const std::function<bool(int)>& work);

}  // namespace quoin::planning
