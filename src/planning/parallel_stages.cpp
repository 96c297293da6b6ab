// SPDX-License-Identifier: BSD-3-Clause
#include "parallel_stages.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quoin::planning {

int for_each_stage(int threads, int count, const std::function<bool(int)>& work) {
  if (threads <= 1) {
    for (int i = 0; i < count; ++i) {
      if (!work(i)) return i;
    }
    return count;
  }
  std::atomic<int> next = 0, failed = count;
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto run = [&] {
    try {
      for (int i = next++; i < count; i = next++) {
        if (work(i)) continue;
        for (int first = failed; i < first && !failed.compare_exchange_weak(first, i);) {
        }
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < std::min(threads, count); ++t) helpers.emplace_back(run);
    run();
  }
  if (error) std::rethrow_exception(error);
  return failed;
}

}  // namespace quoin::planning
