// SPDX-License-Identifier: BSD-3-Clause
// Who is at work on a grid whose memory is limited: pointers to corners and cells are good while one holds it.
#pragma once

#include "quoin/util/export_type.hpp"
#include "quoin/util/request.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

namespace quoin::grid_detail {

/// Counts those who are inside, and lets somebody be alone between them. Members are safe from any thread.
class EvictionLock {
 public:
  /// Somebody inside, for as long as it lives, on the stack of a thread.
  class QUOIN_EXPORT_TYPE Hold {
   public:
    /// Waits while somebody is alone or, briefly, waits to be; not on behalf of a request that may be inside already.
    explicit Hold(EvictionLock& lock) : lock_(lock), outer_(std::exchange(innermost(), this)) { lock.enter(); }
    ~Hold() {
      innermost() = outer_;
      lock_.leave();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    friend class EvictionLock;
    static const Hold*& innermost() {
      thread_local const Hold* of_thread = nullptr;
      return of_thread;
    }
    EvictionLock& lock_;
    const Hold* outer_;
  };

  /// In the child of a fork: other threads are inside no more.
  void forget_other_threads() noexcept {
    std::uint64_t state = 0;
    for (const Hold* hold = Hold::innermost(); hold != nullptr; hold = hold->outer_)
      if (&hold->lock_ == this) state += one;
    state_.store(state);
  }

  /// True while try_exclusive() refuses.
  bool refuses() const { return Clock::now().time_since_epoch().count() < refused_until_.load(); }

  /// Does the work with nobody inside, and keeps others out until it is done. False, and nothing done, if somebody else
  /// is about to, or if those inside take longer than a millisecond; it then refuses for ten.
  template <class Work>
  bool try_exclusive(Work&& work) noexcept {
    const Clock::time_point began = Clock::now();
    if (refuses()) return false;
    for (std::uint64_t now = state_.load();;) {
      if (now & (closing | closed)) return false;
      if (state_.compare_exchange_weak(now, now | closing)) break;
    }
    bool is_alone = false;
    do {
      std::uint64_t nobody = closing;
      is_alone = state_.compare_exchange_strong(nobody, closed);
      if (!is_alone) std::this_thread::yield();
    } while (!is_alone && Clock::now() - began < std::chrono::milliseconds(1));
    if (is_alone)
      work();
    else
      refused_until_.store((Clock::now() + std::chrono::milliseconds(10)).time_since_epoch().count());
    state_.fetch_and(~(closing | closed));
    state_.notify_all();
    return is_alone;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void enter() {
    for (std::uint64_t now = state_.load();;) {
      if (now & closed || (now & closing && Request::current() == nullptr)) {
        state_.wait(now);
        now = state_.load();
      } else if (state_.compare_exchange_weak(now, now + one)) {
        return;
      }
    }
  }
  void leave() { state_.fetch_sub(one); }

  // The number of those inside, and below it two marks.
  static constexpr std::uint64_t closing = 1, closed = 2, one = 4;

  std::atomic<std::uint64_t> state_{0};
  std::atomic<Clock::rep> refused_until_{0};
};

}  // namespace quoin::grid_detail
