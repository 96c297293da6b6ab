// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/lattice.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

namespace quoin {

/// Who is computing which corner: lets a second thread that misses a corner wait for the first instead of computing it
/// again, and finds out when a function that asks the grid waits, directly or through others, for itself.
///
/// A Task is one thread's request for corners. Tasks that f starts by asking the grid are children of the task that
/// called f (Task::Scope says so to the evaluator's threads).
class Claims {
 public:
  class Task {
   public:
    Task() : parent_(current()) {}

    /// While it lives, requests from this thread are children of the task.
    class Scope {
     public:
      explicit Scope(const Task* task) : outer_(current()) { current() = task; }
      ~Scope() { current() = outer_; }
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;

     private:
      const Task* outer_;
    };

    /// The task on whose behalf this thread runs, or nullptr.
    static const Task*& current() {
      thread_local const Task* task = nullptr;
      return task;
    }

    /// The task that no function called.
    const Task* root() const {
      const Task* task = this;
      while (task->parent_ != nullptr) task = task->parent_;
      return task;
    }

    bool descends_from(const Task* ancestor) const {
      for (const Task* task = this; task != nullptr; task = task->parent_)
        if (task == ancestor) return true;
      return false;
    }

   private:
    const Task* parent_;
  };

  /// The owner of a claim: keys of different fields do not meet.
  using Name = std::tuple<const void*, std::uint64_t, std::uint64_t>;
  static Name name(const void* field, const LatticeKey& key) { return {field, key.high, key.low}; }

  std::mutex& mutex() { return mutex_; }

  // The members below are called with the mutex held.

  /// False if another task has it.
  bool claim(const Name& name, const Task& task) { return owners_.emplace(name, &task).second; }
  bool is_claimed(const Name& name) const { return owners_.contains(name); }
  /// True if the claim cannot be released before the task is done: an ancestor holds it.
  bool is_awaited_by_owner(const Name& name, const Task& task) const {
    const auto owner = owners_.find(name);
    return owner != owners_.end() && task.descends_from(owner->second);
  }
  void release(const Name& name) {
    owners_.erase(name);
    released_.notify_all();
  }

  /// Waits until nobody holds the claim. False, at once, if that would be forever.
  bool wait(std::unique_lock<std::mutex>& lock, const Name& name, const Task& task) {
    while (is_claimed(name)) {
      std::set<const Task*> seen;
      if (waits_for(owners_.at(name), task, seen)) return false;
      waiting_.emplace(&task, name);
      released_.wait(lock);
      waiting_.erase(&task);
    }
    return true;
  }

 private:
  // True if `owner` cannot finish before `task` does.
  bool waits_for(const Task* owner, const Task& task, std::set<const Task*>& seen) const {
    if (task.descends_from(owner)) return true;
    if (!seen.insert(owner).second) return false;
    for (const auto& [waiter, name] : waiting_) {
      if (!waiter->descends_from(owner)) continue;
      const auto next = owners_.find(name);
      if (next != owners_.end() && waits_for(next->second, task, seen)) return true;
    }
    return false;
  }

  std::mutex mutex_;
  std::condition_variable released_;
  std::map<Name, const Task*> owners_;
  std::map<const Task*, Name> waiting_;
};

}  // namespace quoin
