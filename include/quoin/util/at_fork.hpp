// SPDX-License-Identifier: BSD-3-Clause
// What becomes of threads' state when the process forks: the child has the memory of all threads, and only the one that
// called fork. What others had locked stays locked there, and what they would have finished nobody does.
#pragma once

#include "quoin/util/export_type.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace quoin {

namespace detail {

/// Around every fork() of the process: all that is registered, in the order of the latest first. Of programs that are
/// started by posix_spawn, vfork, system or popen nothing is called: they share no memory.
class QUOIN_EXPORT_TYPE ForkRegistry {
 public:
  /// Something that is told. Lives on the heap, as the stacks of other threads are gone in a child.
  class Entry {
   public:
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    virtual ~Entry() = default;

    virtual void before() noexcept = 0;
    virtual void after_in_parent() noexcept = 0;
    virtual void after_in_child() noexcept = 0;

   protected:
    Entry() = default;

   private:
    friend class ForkRegistry;
    Entry* next_ = nullptr;
    Entry** here_ = nullptr;  // what points to it
  };

  static ForkRegistry& of_process() {
    static auto& registry = *new ForkRegistry;  // never destroyed: others may end behind it
    return registry;
  }

  void add(Entry& entry) {
    const std::lock_guard lock(mutex_);
    entry.next_ = first_;
    entry.here_ = &first_;
    if (first_ != nullptr) first_->here_ = &entry.next_;
    first_ = &entry;
  }
  void remove(Entry& entry) noexcept {
    const std::lock_guard lock(mutex_);
    *entry.here_ = entry.next_;
    if (entry.next_ != nullptr) entry.next_->here_ = entry.here_;
  }

  unsigned forks() const { return forks_.load(std::memory_order_relaxed); }

 private:
#if __has_include(<pthread.h>)
  ForkRegistry() { pthread_atfork(before, after_in_parent, after_in_child); }
#endif

  static void before() {
    ForkRegistry& registry = of_process();
    registry.mutex_.lock();
    for (Entry* entry = registry.first_; entry != nullptr; entry = entry->next_) entry->before();
  }
  static void after_in_parent() {
    ForkRegistry& registry = of_process();
    for (Entry* entry = registry.first_; entry != nullptr; entry = entry->next_) entry->after_in_parent();
    registry.mutex_.unlock();
  }
  static void after_in_child() {
    ForkRegistry& registry = of_process();
    registry.forks_.fetch_add(1, std::memory_order_relaxed);
    registry.mutex_.unlock();  // there is no other thread; what is made anew may register
    for (Entry* entry = registry.first_; entry != nullptr; entry = entry->next_) entry->after_in_child();
  }

  std::mutex mutex_;  // held from before a fork to behind it
  Entry* first_ = nullptr;
  std::atomic<unsigned> forks_{0};
};

}  // namespace detail

/// How many forks lie between this process and the one that its program began in. Work in which it changes has lost
/// its other threads.
inline unsigned forks_so_far() { return detail::ForkRegistry::of_process().forks(); }

/// A member that calls owner.before_fork() and owner.after_fork_in_parent() in a process that forks, where the owner
/// has them, and owner.after_fork_in_child() in its child; none may throw. The owner lives on the heap, and this is its
/// last member. Its before_fork() may wait for a lock that no thread holds while it makes or destroys something of this
/// kind.
template <class Owner>
class AtFork {
 public:
  explicit AtFork(Owner& owner) : entry_(std::make_unique<Entry>(owner)) { registry().add(*entry_); }
  ~AtFork() { registry().remove(*entry_); }
  AtFork(const AtFork&) = delete;
  AtFork& operator=(const AtFork&) = delete;

 private:
  struct Entry final : detail::ForkRegistry::Entry {
    explicit Entry(Owner& of) : owner(of) {}
    void before() noexcept override {
      if constexpr (requires { owner.before_fork(); }) owner.before_fork();
    }
    void after_in_parent() noexcept override {
      if constexpr (requires { owner.after_fork_in_parent(); }) owner.after_fork_in_parent();
    }
    void after_in_child() noexcept override { owner.after_fork_in_child(); }
    Owner& owner;
  };
  static detail::ForkRegistry& registry() { return detail::ForkRegistry::of_process(); }

  std::unique_ptr<Entry> entry_;
};

/// A mutex that is free in a forked child, with what it guards whole: fork waits until no other thread has it. Hold it
/// briefly, and neither make nor take another one meanwhile. Standard: Lockable.
class ForkSafeMutex {
 public:
  ForkSafeMutex() : entry_(std::make_unique<Entry>()) { registry().add(*entry_); }
  ~ForkSafeMutex() { registry().remove(*entry_); }
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { entry_->mutex.lock(); }                 ///< waits for it
  bool try_lock() { return entry_->mutex.try_lock(); }  ///< does not
  void unlock() { entry_->mutex.unlock(); }             ///< by the thread that has it
  std::mutex& of_condition() { return entry_->mutex; }  ///< for condition variables

 private:
  struct Entry final : detail::ForkRegistry::Entry {
    void before() noexcept override { mutex.lock(); }
    void after_in_parent() noexcept override { mutex.unlock(); }
    void after_in_child() noexcept override { mutex.unlock(); }
    std::mutex mutex;
  };
  static detail::ForkRegistry& registry() { return detail::ForkRegistry::of_process(); }

  std::unique_ptr<Entry> entry_;
};

}  // namespace quoin
