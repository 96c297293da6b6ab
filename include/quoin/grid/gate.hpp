// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/claims.hpp"

#include <condition_variable>
#include <mutex>

namespace quoin {

/// Lets one request for corners through at a time, with all the requests that f makes on its behalf, on whatever thread
/// the evaluator calls f: what keeps a function that is not concurrent from being called concurrently.
class Gate {
 public:
  /// While it lives, the task is inside. Waits until tasks of other origin have left.
  class Pass {
   public:
    Pass(Gate& gate, const Claims::Task& task) : gate_(gate) {
      std::unique_lock lock(gate.mutex_);
      gate.left_.wait(lock, [&] { return gate.inside_ == 0 || gate.root_ == task.root(); });
      gate.root_ = task.root();
      ++gate.inside_;
    }
    ~Pass() {
      const std::lock_guard lock(gate_.mutex_);
      if (--gate_.inside_ == 0) gate_.left_.notify_one();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  const Claims::Task* root_ = nullptr;
  int inside_ = 0;
};

}  // namespace quoin
