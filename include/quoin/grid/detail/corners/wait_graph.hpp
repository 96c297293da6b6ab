// SPDX-License-Identifier: BSD-3-Clause
// On the path of a missing corner: how threads wait for each other, and detect that they would wait forever.
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/export_type.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace quoin::grid_detail {

/// Something that one request holds at a time: the evaluation of a corner, or the right to call a function that
/// is not concurrent.
struct Ownership {
  const Request* holder = nullptr;
};

/// Where the requests of all grids wait for ownerships: a cycle of requests that wait for each other may lead through
/// several grids. All members are called with the mutex held; none allocates, but for what it throws.
class QUOIN_EXPORT_TYPE WaitGraph {
 public:
  static WaitGraph& of_process() {
    static auto& graph = *new WaitGraph;  // never destroyed: static grids and their threads end behind it
    return graph;
  }

  std::mutex& mutex() { return mutex_.of_condition(); }

  /// True if the holder cannot proceed before the request is done: it called the function that makes the
  /// request, or waits, directly or through others, for an ownership that the request or an ancestor holds.
  bool would_deadlock(const Ownership& owned, const Request& request) {
    for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next) waiter->seen = false;
    return waits_for(owned.holder, request);
  }

  /// Whether one of those threads waits for the request, directly or through others. of(thread): std::thread::id to
  /// bool.
  template <class Threads>
  bool awaits(const Threads& of, const Request& request) {
    for (Waiter* waiting = first_; waiting != nullptr; waiting = waiting->next)
      if (waiting->owned != nullptr && of(waiting->thread) && would_deadlock(*waiting->owned, request)) return true;
    return false;
  }

  /// Waits until the ownership is released; throws Interrupted soon after the request's watch is told to stop. Not
  /// allowed if its holder is held up by the request: it would wait forever.
  void wait(std::unique_lock<std::mutex>& lock, const Ownership& owned, const Request& request) {
    Waiter waiter(*this, owned, request);
    while (waiter.owned != nullptr) {
      if (request.watch() == nullptr) {
        waiter.released.wait(lock);
      } else {
        waiter.released.wait_for(lock, std::chrono::milliseconds(20));  // a stop wakes nobody
        const Unlocked unlocked(lock);
        request.watch()->throw_if_stopped();
      }
    }
  }

  /// Wakes those who wait for it; called when its holder changes.
  void release(const Ownership& owned) noexcept {
    for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
      if (waiter->owned != &owned) continue;
      waiter->owned = nullptr;
      waiter->released.notify_one();
    }
  }

  /// Only the thread that forked is left, with the requests that it made.
  void after_fork_in_child() noexcept {
    Request::forget_other_threads();
    for (Waiter** at = &first_; *at != nullptr;)
      if ((*at)->request.made_here()) {
        (*at)->before = at;
        at = &(*at)->next;
      } else {
        *at = (*at)->next;
      }
  }

 private:
  struct Unlocked {
    explicit Unlocked(std::unique_lock<std::mutex>& held) : lock(held) { lock.unlock(); }
    ~Unlocked() { lock.lock(); }
    std::unique_lock<std::mutex>& lock;
  };

  // On the stack of the thread that waits.
  struct Waiter {
    Waiter(WaitGraph& of, const Ownership& awaited, const Request& by)
        : graph(of), owned(&awaited), request(by), next(of.first_) {
      if (next != nullptr) next->before = &next;
      graph.first_ = this;
    }
    ~Waiter() {
      *before = next;
      if (next != nullptr) next->before = before;
    }

    WaitGraph& graph;
    const Ownership* owned;  // nullptr once it was released
    const Request& request;
    const std::thread::id thread = std::this_thread::get_id();
    Waiter* next;
    Waiter** before = &graph.first_;
    bool seen = false;
    std::condition_variable released;
  };

  bool waits_for(const Request* holder, const Request& request) {
    if (request.descends_from(holder)) return true;
    for (Waiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
      if (waiter->seen || waiter->owned == nullptr || !waiter->request.descends_from(holder)) continue;
      waiter->seen = true;
      if (waits_for(waiter->owned->holder, request)) return true;
    }
    return false;
  }

  ForkSafeMutex mutex_;
  Waiter* first_ = nullptr;
  AtFork<WaitGraph> at_fork_{*this};
};

/// Made before main: if one thread made it while another forks, it would stay half made in the child for ever.
inline WaitGraph& graph_of_process = WaitGraph::of_process();

/// Lets one request for corners through at a time, and those that f makes on its behalf, on whatever thread. This keeps
/// a function that is not concurrent from being called concurrently.
///
/// A request that holds up the one inside is let through as well: f is then called again while it waits, as when it
/// asks its own grid. Thus two functions that ask each other's grids never wait for each other forever.
class Gate {
 public:
  /// While it lives, the request is inside.
  class Pass {
   public:
    Pass(Gate& gate, const Request& request) : gate_(gate), request_(request) {
      WaitGraph& graph = WaitGraph::of_process();
      std::unique_lock lock(graph.mutex());
      while (gate.owned_.holder != nullptr && !graph.would_deadlock(gate.owned_, request))
        graph.wait(lock, gate.owned_, request);
      outer_ = gate.innermost_;
      gate.let_in(this);
    }
    ~Pass() {
      WaitGraph& graph = WaitGraph::of_process();
      const std::lock_guard lock(graph.mutex());
      graph.release(gate_.owned_);
      Pass** pass = &gate_.innermost_;  // mostly this one; an interrupted query leaves before what others do for it
      while (*pass != this) pass = &(*pass)->outer_;
      *pass = outer_;
      gate_.let_in(gate_.innermost_);
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    friend class Gate;
    Gate& gate_;
    const Request& request_;
    Pass* outer_ = nullptr;
  };

  /// In the child of a fork: those whom other threads have let in are gone with them.
  void forget_other_threads() noexcept {
    while (innermost_ != nullptr && !innermost_->request_.made_here()) innermost_ = innermost_->outer_;
    for (Pass* pass = innermost_; pass != nullptr; pass = pass->outer_)
      while (pass->outer_ != nullptr && !pass->outer_->request_.made_here()) pass->outer_ = pass->outer_->outer_;
    let_in(innermost_);
  }

 private:
  void let_in(Pass* pass) noexcept {
    innermost_ = pass;
    owned_.holder = pass == nullptr ? nullptr : &pass->request_;
  }

  Ownership owned_;  // of the innermost
  Pass* innermost_ = nullptr;
};

}  // namespace quoin::grid_detail
