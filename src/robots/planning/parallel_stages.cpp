// SPDX-License-Identifier: BSD-3-Clause
#include "parallel_stages.hpp"

#include "quoin/util/parallel_for.hpp"
#include "quoin/util/request.hpp"

#include <atomic>
#include <cstddef>

namespace quoin::planning {

int for_each_stage(int threads, int count, const std::function<bool(int)>& work) {
  std::atomic<int> failed = count;
  parallel_for(static_cast<std::size_t>(count), static_cast<std::size_t>(threads), [&](std::size_t index) {
    if (index % 16 == 0) StopCheck()();  // of the calling thread: the others watch nothing
    const int i = static_cast<int>(index);
    if (i > failed || work(i)) return;
    for (int first = failed; i < first && !failed.compare_exchange_weak(first, i);) {
    }
  });
  return failed;
}

}  // namespace quoin::planning
