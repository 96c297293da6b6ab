// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/at_fork.hpp"
#include "quoin/util/request.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace quoin::grid_detail {

/// Work that nobody waits for, done by one thread in the order in which it came. The thread starts with the first.
class Background {
 public:
  using Work = std::function<void()>;

  ~Background() {
    {
      const std::lock_guard lock(mutex_);
      drop();
      over_ = true;
    }
    changed_.notify_all();
  }

  /// work: what it throws is lost. Where the system gives no thread, nothing is done.
  void add(Work work) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
      if (!thread_.joinable()) {
        try {
          thread_ = std::jthread([this] { run(); });
        } catch (const std::system_error&) {
          waiting_.clear();
        }
      }
    }
    changed_.notify_all();
  }

  /// Drops what waits, and stops what runs at its next call of f. Returns when nothing runs; throws Interrupted soon
  /// after this thread's watch is told to stop.
  void cancel() {
    std::unique_lock lock(mutex_);
    drop();
    const Watch* const watch = Watch::current();
    while (!changed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return !running_; })) {
      if (watch == nullptr) continue;
      lock.unlock();
      watch->throw_if_stopped();
      lock.lock();
    }
  }

  /// Whether something runs or waits.
  bool busy() {
    const std::lock_guard lock(mutex_);
    return running_ || !waiting_.empty();
  }

  /// Returns when all is done.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !running_ && waiting_.empty(); });
  }

 private:
  void drop() {
    waiting_.clear();
    stop_.request_stop();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (const unsigned forks = forks_so_far();;) {
      changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
      if (over_) return;
      const Work work = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = true;
      stop_ = std::stop_source();
      const std::stop_token token = stop_.get_token();
      lock.unlock();
      {
        const Watch watch(token);
        try {
          work();
        } catch (...) {  // NOLINT: the query that needs the corner will tell
          if (std::current_exception() == nullptr) throw;
        }
      }
      if (forks_so_far() != forks) return;  // the work has forked, and this is the child: nothing here is its own
      lock.lock();
      running_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool running_ = false, over_ = false;
  std::stop_source stop_;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace quoin::grid_detail
