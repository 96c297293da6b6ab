// SPDX-License-Identifier: BSD-3-Clause
// Every query is counted, and one in 64 is timed.
#pragma once

#include "quoin/util/requirements.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace quoin::grid_detail {

/// Counts queries from many threads without contention, and times one in 64 of each thread's.
class QueryCounters {
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> queries{0}, timed{0}, nanoseconds{0};
  };

 public:
  /// One query, from construction to destruction. Not timed if `called_function` is set meanwhile.
  class Query {
   public:
    explicit Query(QueryCounters& counters) : slot_(counters.slot()) {
      timed_ = slot_.queries.fetch_add(1, std::memory_order_relaxed) % 64 == 63;
      if (timed_) start_ = std::chrono::steady_clock::now();
    }
    ~Query() {
      if (!timed_ || called_function) return;
      const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start_;
      slot_.timed.fetch_add(1, std::memory_order_relaxed);
      slot_.nanoseconds.fetch_add(static_cast<std::uint64_t>(elapsed.count()), std::memory_order_relaxed);
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    bool called_function = false;

   private:
    Slot& slot_;
    bool timed_;
    std::chrono::steady_clock::time_point start_;
  };

  /// Counts queries that are not timed.
  void add_untimed(std::size_t queries) { slot().queries.fetch_add(queries, std::memory_order_relaxed); }

  std::size_t queries() const { return sum(&Slot::queries); }
  double seconds_per_query() const {
    const std::uint64_t timed = sum(&Slot::timed);
    return timed == 0 ? 0.0 : 1e-9 * static_cast<double>(sum(&Slot::nanoseconds)) / static_cast<double>(timed);
  }

 private:
  Slot& slot() {
    thread_local const std::size_t own = std::hash<std::thread::id>()(std::this_thread::get_id());
    return slots_[own % slots_.size()];
  }
  std::uint64_t sum(std::atomic<std::uint64_t> Slot::*count) const {
    std::uint64_t total = 0;
    for (const Slot& slot : slots_) total += (slot.*count).load(std::memory_order_relaxed);
    return total;
  }

  std::array<Slot, 16> slots_;
};

}  // namespace quoin::grid_detail
