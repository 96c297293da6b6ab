// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/at_fork.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace quoin {

/// Calls work(i) for i = 0 to count - 1, on `threads` threads, the calling one included.
///
///   parallel_for(horizon, 2, [&](std::size_t i) { derivatives[i] = ...; });
///
/// Each i is taken by whichever thread is free. Threads are started for each call (some 30 us); if the system provides
/// fewer, these do all the work. After an exception no further i is taken; the first exception is rethrown here when
/// all threads have ended. If work forks, the child has lost the other threads: there std::runtime_error is thrown.
template <class Work>
void parallel_for(std::size_t count, std::size_t threads, Work&& work) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto forked = [forks = forks_so_far()] { return forks_so_far() != forks; };
  const auto run = [&] {
    for (std::size_t i = next++; i < count && !forked(); i = next++) work(i);
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
    struct TakeNoMore {
      std::atomic<std::size_t>& next;
      std::size_t count;
      ~TakeNoMore() { next = count; }
    };
    struct Others {  // joined after TakeNoMore has run
      decltype(forked)& lost;
      std::vector<std::jthread> threads = {};
      ~Others() {
        if (lost()) new std::vector<std::jthread>(std::move(threads));  // to join them would last for ever
      }
    } others{forked};
    const TakeNoMore at_the_end{next, count};
    try {
      others.threads.reserve(std::min(threads, count) - 1);
      for (std::size_t t = 1; t < std::min(threads, count); ++t) others.threads.emplace_back(run_and_report);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    run();
  }
  if (forked())
    throw std::runtime_error(
        "quoin: the process was forked by a function that several threads call: its child has not the other threads "
        "and cannot go on with their work; let it end, or exec another program");
  if (error) std::rethrow_exception(error);
}

}  // namespace quoin
