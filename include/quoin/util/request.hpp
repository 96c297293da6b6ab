// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/at_fork.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/export_type.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace quoin {

class Request;

/// Long work that can be stopped and that tells how far it is: while a watch lives, it sees all calls of f that queries
/// of its thread lead to, whatever grid, planner and evaluator are between.
///
///   std::stop_source stop;  // stop.request_stop() from a signal's thread, a button, a deadline
///   const Watch watch(stop.get_token(), [](const Watch::Progress& p) { show(p.evaluated, p.missing); });
///   grid.prefetch(X);        // or a whole plan; throws Interrupted soon after the stop
///
/// What was evaluated before the stop is kept. Calls of f that run are not cut short, unless workers make them; who
/// waits for another thread's call does not wait on. The observer is called after each evaluation, by one thread at a
/// time; what it throws ends the query. It may itself ask grids, which is not watched; for a corner of the
/// batch that is being evaluated that throws CornerFailure, as it does where f asks for itself.
class QUOIN_EXPORT_TYPE Watch {
 public:
  /// How far the evaluations are.
  struct Progress {
    std::size_t evaluated = 0;  ///< calls of f since the watch began
    std::size_t missing = 0;    ///< corners that the present query is known to need still
    double seconds = 0;         ///< since the watch began
    /// Until these are there, at the present query's pace so far.
    double seconds_left = std::numeric_limits<double>::quiet_NaN();
    std::string waiting_for = {};  ///< "worker 3 ('sim') has been silent for 60 s"; mostly empty
  };
  /// Called after each evaluation, and when there is something new to be waited for, by one thread at a time.
  using Observer = std::function<void(const Progress&)>;

  /// Watches this thread until it is destroyed.
  explicit Watch(std::stop_token stop, Observer observer = {})
      : stop_(std::move(stop)), observer_(std::move(observer)), outer_(std::exchange(own(), this)) {}
  virtual ~Watch() { own() = outer_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// This thread's innermost one, or nullptr.
  static Watch* current() { return own(); }

  /// Throws Interrupted once the stop was requested. Called before each call of f, and now and then by who waits, with
  /// no lock held: a program that must be asked whether to stop does it here.
  virtual void throw_if_stopped() const {
    if (stop_.stop_requested()) throw Interrupted("stopped, as the watch was told");
  }

  /// As the observer is told it, from any thread.
  Progress progress() const {
    const std::lock_guard lock(mutex_);
    return progress_now();
  }

  /// Grids and evaluators tell it with this and the next three: a query misses at least so many corners.
  void miss(std::size_t count) {
    const std::lock_guard lock(mutex_);
    if (missing_ == 0 && count > 0) {
      query_began_ = Clock::now();
      evaluated_before_ = evaluated_;
    }
    missing_ = std::max(missing_, count);
  }
  /// One of them was evaluated, on behalf of that request.
  void evaluated(const Request* request) {
    {
      const std::lock_guard lock(mutex_);
      ++evaluated_;
      missing_ -= std::min(missing_, std::size_t{1});
      if (observer_) news_.push_back(progress_now());
    }
    tell_observer(request);
  }
  /// What keeps the evaluator waiting for unusually long, on behalf of that request; empty if nothing does.
  void waits_for(const std::string& what, const Request* request) {
    {
      const std::lock_guard lock(mutex_);
      if (what == waiting_for_) return;
      waiting_for_ = what;
      if (observer_) news_.push_back(progress_now());
    }
    tell_observer(request);
  }
  /// So many of them need no evaluation.
  void found(std::size_t count) {
    const std::lock_guard lock(mutex_);
    missing_ -= std::min(missing_, count);
  }
  /// The query misses nothing more.
  void has_all() {
    const std::lock_guard lock(mutex_);
    missing_ = 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static Watch*& own() {
    thread_local Watch* watch = nullptr;
    return watch;
  }
  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  inline void tell_observer(const Request* request);
  Progress progress_now() const {
    const auto of_query = static_cast<double>(evaluated_ - evaluated_before_);
    return {.evaluated = evaluated_,
            .missing = missing_,
            .seconds = seconds_since(began_),
            .seconds_left = missing_ == 0   ? 0
                            : of_query == 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : seconds_since(query_began_) / of_query * static_cast<double>(missing_),
            .waiting_for = waiting_for_};
  }

  std::stop_token stop_;
  Observer observer_;
  Watch* outer_;
  mutable ForkSafeMutex mutex_;
  std::vector<Progress> news_;    // that the observer is to be told
  long telling_since_fork_ = -1;  // while it is told some: in the child of a fork its thread may be gone
  Clock::time_point began_ = Clock::now(), query_began_ = began_;
  std::size_t evaluated_ = 0, evaluated_before_ = 0, missing_ = 0;
  std::string waiting_for_;
};

/// For a loop that may last: asks this thread's Watch, if there is one, whether to stop.
///
///   StopCheck check(64);  // once in 64 calls
///   for (...) {
///     check();            // throws Interrupted
///     ...
///   }
class StopCheck {
 public:
  explicit StopCheck(unsigned every = 1) : watch_(Watch::current()), every_(every) {}

  void operator()() {
    if (watch_ == nullptr || ++calls_ < every_) return;
    calls_ = 0;
    watch_->throw_if_stopped();
  }

 private:
  const Watch* watch_;
  unsigned every_, calls_ = 0;
};

/// One thread's request for corners. A request that f makes while it is called for another is a child of that one: so
/// grids detect when a function waits, directly or through others, for itself.
///
/// The thread on which f is called already runs on behalf of a request. A function that is not concurrent and queries
/// its grid from a thread of its own must pass the request on. Otherwise the grid cannot know that the two belong
/// together: the thread would wait for f to end, and f for the thread.
///
///   [&](const Point<2>& x, auto y, auto J) {
///     const Request* request = Request::current();
///     std::jthread helper([&] { Request::Scope scope(request); grid.evaluate(elsewhere, z); });
///     ...
///   }
class QUOIN_EXPORT_TYPE Request {
 public:
  Request() : parent_(current()), watch_(parent_ ? parent_->watch_ : Watch::current()) {}
  /// What other threads ask on behalf of that one, which may end before they do: then orphan() comes first. It knows no
  /// watch.
  explicit Request(const Request* parent) : parent_(parent), watch_(nullptr) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// From now on it is on behalf of nobody. Not while a grid looks who waits for whom.
  void orphan() { parent_ = nullptr; }

  /// While it lives, this thread makes its requests on behalf of the given one, which must outlive it.
  class Scope {
   public:
    /// May be null: then its requests are on behalf of nobody.
    explicit Scope(const Request* request) : outer_(current()) { own() = request; }
    ~Scope() { own() = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Request* outer_;
  };

  /// The request on whose behalf this thread runs, or nullptr.
  static const Request* current() { return own(); }

  /// True unless it is made on behalf of another.
  bool outermost() const { return parent_ == nullptr; }
  /// Of the thread where the outermost request is made, or nullptr.
  Watch* watch() const { return watch_; }

  /// Whether this thread has made it.
  bool made_here() const { return thread_ == std::this_thread::get_id(); }

  /// In the child of a fork: the requests of other threads, on whose behalf this one ran, are gone with them.
  static void forget_other_threads() {
    const Request* outermost = own();
    while (outermost != nullptr && !outermost->outermost()) outermost = outermost->parent_;
    const bool watched_there = outermost != nullptr && !outermost->made_here();
    own() = nearest_made_here(own());
    for (const Request* request = own(); request != nullptr; request = request->parent_) {
      request->parent_ = nearest_made_here(request->parent_);
      if (watched_there) request->watch_ = nullptr;
    }
  }

  /// Whether it is made on behalf of that one, directly or through others, or is that one.
  bool descends_from(const Request* ancestor) const {
    for (const Request* request = this; request != nullptr; request = request->parent_)
      if (request == ancestor) return true;
    return false;
  }

 private:
  static const Request*& own() {
    thread_local const Request* request = nullptr;
    return request;
  }

  static const Request* nearest_made_here(const Request* request) {
    while (request != nullptr && !request->made_here()) request = request->parent_;
    return request;
  }

  const std::thread::id thread_ = std::this_thread::get_id();
  mutable const Request* parent_;  // changed by a fork alone
  mutable Watch* watch_;
};

// No lock is held while the observer runs. Who comes meanwhile waits, as f is not to outrun what may stop it; by naps,
// since no condition variable with waiters ends in the child of a fork.
inline void Watch::tell_observer(const Request* request) {
  if (!observer_) return;
  struct Telling {
    explicit Telling(Watch& of) : watch(of) {}
    ~Telling() {
      const std::lock_guard lock(watch.mutex_);
      watch.telling_since_fork_ = -1;
    }
    Watch& watch;
  };
  const Request of_observer(request);  // not watched
  const Request::Scope scope(&of_observer);
  std::vector<Progress> news;
  for (std::chrono::microseconds nap(20);; nap = std::min(2 * nap, std::chrono::microseconds(1000))) {
    bool others_turn = false;
    {
      const std::lock_guard lock(mutex_);
      const auto fork = static_cast<long>(forks_so_far());
      others_turn = telling_since_fork_ == fork;
      if (!others_turn) {
        if (news_.empty()) return;
        telling_since_fork_ = fork;
        news.clear();
        news.swap(news_);
      }
    }
    if (others_turn) {
      std::this_thread::sleep_for(nap);
      continue;
    }
    const Telling telling(*this);
    for (const Progress& progress : news) observer_(progress);
  }
}

}  // namespace quoin
