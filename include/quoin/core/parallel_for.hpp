// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace quoin {

/// Calls work(i) for i = 0 to count - 1, on `threads` threads, the calling one included.
///
///   parallel_for(horizon, 2, [&](std::size_t i) { derivatives[i] = ...; });
///
/// Each i is taken by whichever thread is free. Threads are started for each call (some 30 us); if the system provides
/// fewer, these do all the work. After an exception no further i is taken; the first exception is rethrown here when
/// all threads have ended.
template <class Work>
void parallel_for(std::size_t count, std::size_t threads, Work&& work) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const auto run_and_report = [&] {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  {
    // An exception on this thread is not caught: it may be the unwinding of a cancelled thread.
    struct Stop {
      std::atomic<std::size_t>& next;
      std::size_t count;
      ~Stop() { next = count; }
    };
    std::vector<std::jthread> others;  // joined after Stop has run
    const Stop stop{next, count};
    try {
      others.reserve(std::min(threads, count) - 1);
      for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(run_and_report);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace quoin
