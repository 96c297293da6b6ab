// SPDX-License-Identifier: BSD-3-Clause
// On the path of a missing corner: how threads wait for each other, and detect that they would wait forever.
#pragma once

#include "quoin/core/at_fork.hpp"
#include "quoin/core/one_in_process.hpp"
#include "quoin/grid/evaluator.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace quoin::grid_detail {

/// Something that one request holds at a time: the evaluation of a corner, or the right to call a function that
/// is not concurrent.
struct Turn {
  const Request* holder = nullptr;
};

/// Where the requests of all grids wait for turns: a cycle of requests that wait for each other may lead through
/// several grids. All members are called with the mutex held; none allocates, but for what it throws.
class QUOIN_ONE_IN_PROCESS WaitingRoom {
 public:
  static WaitingRoom& of_process() {
    static auto& room = *new WaitingRoom;  // never destroyed: static grids and their threads end behind it
    return room;
  }

  std::mutex& mutex() { return mutex_.of_condition(); }

  /// True if the turn's holder cannot proceed before the request is done: it called the function that makes the
  /// request, or waits, directly or through others, for a turn that the request or an ancestor holds.
  bool is_held_up(const Turn& turn, const Request& request) {
    for (Place* place = first_; place != nullptr; place = place->next) place->seen = false;
    return waits_for(turn.holder, request);
  }

  /// Whether one of those threads waits for the request, directly or through others. of(thread): std::thread::id to
  /// bool.
  template <class Threads>
  bool awaits(const Threads& of, const Request& request) {
    for (Place* waiting = first_; waiting != nullptr; waiting = waiting->next)
      if (waiting->turn != nullptr && of(waiting->thread) && is_held_up(*waiting->turn, request)) return true;
    return false;
  }

  /// Waits until the turn is passed on; throws Interrupted soon after the request's watch is told to stop. Not allowed
  /// if the turn's holder is held up by the request: it would wait forever.
  void wait(std::unique_lock<std::mutex>& lock, const Turn& turn, const Request& request) {
    Place place(*this, turn, request);
    while (place.turn != nullptr) {
      if (request.watch() == nullptr) {
        place.passed_on.wait(lock);
      } else {
        place.passed_on.wait_for(lock, std::chrono::milliseconds(20));  // a stop wakes nobody
        const Unlocked unlocked(lock);
        request.watch()->throw_if_stopped();
      }
    }
  }

  /// Wakes those who wait for the turn; called when its holder changes.
  void pass_on(const Turn& turn) noexcept {
    for (Place* place = first_; place != nullptr; place = place->next) {
      if (place->turn != &turn) continue;
      place->turn = nullptr;
      place->passed_on.notify_one();
    }
  }

  /// Only the thread that forked is left, with the requests that it made.
  void after_fork_in_child() noexcept {
    Request::forget_other_threads();
    for (Place** at = &first_; *at != nullptr;)
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
  struct Place {
    Place(WaitingRoom& of, const Turn& awaited, const Request& by)
        : room(of), turn(&awaited), request(by), next(of.first_) {
      if (next != nullptr) next->before = &next;
      room.first_ = this;
    }
    ~Place() {
      *before = next;
      if (next != nullptr) next->before = before;
    }

    WaitingRoom& room;
    const Turn* turn;  // nullptr once it was passed on
    const Request& request;
    const std::thread::id thread = std::this_thread::get_id();
    Place* next;
    Place** before = &room.first_;
    bool seen = false;
    std::condition_variable passed_on;
  };

  bool waits_for(const Request* holder, const Request& request) {
    if (request.descends_from(holder)) return true;
    for (Place* place = first_; place != nullptr; place = place->next) {
      if (place->seen || place->turn == nullptr || !place->request.descends_from(holder)) continue;
      place->seen = true;
      if (waits_for(place->turn->holder, request)) return true;
    }
    return false;
  }

  ForkSafeMutex mutex_;
  Place* first_ = nullptr;
  AtFork<WaitingRoom> at_fork_{*this};
};

/// Made before main: if one thread made it while another forks, it would stay half made in the child for ever.
inline WaitingRoom& room_of_process = WaitingRoom::of_process();

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
      WaitingRoom& room = WaitingRoom::of_process();
      std::unique_lock lock(room.mutex());
      while (gate.turn_.holder != nullptr && !room.is_held_up(gate.turn_, request))
        room.wait(lock, gate.turn_, request);
      outer_ = gate.innermost_;
      gate.let_in(this);
    }
    ~Pass() {
      WaitingRoom& room = WaitingRoom::of_process();
      const std::lock_guard lock(room.mutex());
      room.pass_on(gate_.turn_);
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
    turn_.holder = pass == nullptr ? nullptr : &pass->request_;
  }

  Turn turn_;  // of the innermost
  Pass* innermost_ = nullptr;
};

}  // namespace quoin::grid_detail
