// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/mpi/detail/messages.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/to_text.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace quoin::mpi_detail {

/// Waiting without work: MPI's own receive would keep a core busy. A twentieth of the time waited so far, at most a
/// millisecond.
class Nap {
 public:
  void sleep() {
    using std::chrono::microseconds;
    const auto waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - since_);
    std::this_thread::sleep_for(std::clamp(waited / 20, microseconds(5), microseconds(1000)));
  }
  void restart() { since_ = std::chrono::steady_clock::now(); }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count(); }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// The communicator, and on rank 0 what the others do. MPI is called by one thread at a time. Ends with its owner or
/// with MPI_Finalize, whichever is first, and waits for nobody longer than `patience`.
class Job {
 public:
  /// Of another rank: nothing was heard of it; it answers for a query that was given up; it does not serve any more.
  enum class State { unknown, idle, busy, given_up, left };

  Job(MPI_Comm of, double patience) : patience_(patience), process_(getpid()) {
    int initialized = 0, finalized = 0, provided = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized) MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_SERIALIZED)
      throw std::logic_error("MpiRanks: MPI must be initialized by MPI_Init_thread with MPI_THREAD_SERIALIZED (" +
                             to_text(int{MPI_THREAD_SERIALIZED}) + "), it gives " + to_text(provided));
    if (!(patience > 0)) throw std::invalid_argument("MpiOptions::patience = " + to_text(patience));
    MPI_Comm_rank(of, &rank_);
    MPI_Comm_size(of, &size_);
    meet(of);
    if (rank_ == 0) state_.resize(static_cast<std::size_t>(size_), State::unknown);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &ends_with_mpi_, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, ends_with_mpi_, this);
  }
  ~Job() {
    if (ended_ || getpid() != process_) return;
    MPI_Comm_delete_attr(MPI_COMM_SELF, ends_with_mpi_);  // calls at_finalize
    MPI_Comm_free_keyval(&ends_with_mpi_);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Throws std::logic_error where MPI cannot be called.
  void require_mpi() const {
    if (getpid() != process_)
      throw std::logic_error(
          "MpiRanks: this process was forked from rank " + to_text(rank_) +
          " of an MPI job and cannot call MPI; query in the rank itself, or choose another evaluator");
    if (ended_) throw std::logic_error("MpiRanks: MPI has been finalized");
  }

  // On ranks that serve.

  void say_served(const Served& served) {
    said_ = true;
    Writer hello;
    hello.put(served.shape);
    hello.put(std::string_view(served.identity));
    answer(std::move(hello.bytes));
  }
  /// False when rank 0 is done.
  bool next(std::vector<std::byte>& question) {
    for (Nap nap; !done_ && !receive(0, question);) nap.sleep();
    if (question.empty()) done_ = true;
    return !done_;
  }
  /// Returns when rank 0 has it, or has ended without it.
  void answer(std::vector<std::byte> message) {
    if (done_) return;
    MPI_Request sent = MPI_REQUEST_NULL;
    auto kept = std::make_unique<std::vector<std::byte>>(std::move(message));
    const auto is_sent = [&] {
      const std::lock_guard lock(mpi_);
      int flag = 0;
      if (sent == MPI_REQUEST_NULL)
        MPI_Isend(kept->data(), static_cast<int>(kept->size()), MPI_BYTE, 0, 0, comm_, &sent);
      MPI_Test(&sent, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    };
    for (Nap nap; !is_sent(); nap.sleep()) {
      std::vector<std::byte> last;
      if (!receive(0, last) || !last.empty()) continue;
      done_ = true;
      MPI_Request_free(&sent);
      kept.release();  // MPI may still read it
      return;
    }
  }

  // On rank 0.

  /// Waits until every rank serves this function; calls `check` meanwhile, which may throw. Throws
  /// std::invalid_argument, with both, if one serves another, and std::runtime_error, with its number, if one does not.
  /// made: of the function, see FunctionIdentity.
  template <class Check>
  void require_served(const Served& wanted, std::uint64_t made, Check&& check) {
    for (Nap nap;; nap.sleep()) {
      {
        const std::lock_guard lock(ranks_);
        const int missing = first_unknown();
        require_served_by_all_heard(wanted);
        if (missing == 0) {
          require_the_same(wanted, made);
          return;
        }
        if (nap.seconds() > patience_)
          throw std::runtime_error("MpiRanks: rank " + to_text(missing) + " has not begun to serve within " +
                                   to_text(patience_) + " s (MpiOptions::patience)");
      }
      check();
    }
  }

  /// A rank with nothing to do; 0 if there is none.
  int take_idle() {
    const std::lock_guard lock(ranks_);
    for (int r = 1; r < size_; ++r) {
      std::vector<std::byte> message;
      if (state(r) == State::given_up && receive(r, message)) state(r) = after(message);
      if (state(r) != State::idle) continue;
      state(r) = State::busy;
      return r;
    }
    return 0;
  }
  /// A rank that evaluates for a query that was given up, if no other does anything else; or 0.
  int given_up() {
    const std::lock_guard lock(ranks_);
    int given_up = 0;
    for (int r = 1; r < size_; ++r) {
      if (state(r) == State::given_up)
        given_up = r;
      else if (state(r) != State::left)
        return 0;
    }
    return given_up;
  }
  void give_back(int r, State now) {
    const std::lock_guard lock(ranks_);
    state(r) = now;
  }
  /// What a rank does behind this answer.
  static State after(std::span<const std::byte> answer) {
    return Reader(answer).get<Outcome>() == Outcome::left ? State::left : State::idle;
  }
  void ask(int r, const std::vector<std::byte>& question) {
    const std::lock_guard lock(mpi_);
    MPI_Send(question.data(), static_cast<int>(question.size()), MPI_BYTE, r, 0, comm_);
  }
  /// False if nothing has come from there.
  bool receive(int from, std::vector<std::byte>& message) {
    const std::lock_guard lock(mpi_);
    int there = 0, bytes = 0;
    MPI_Status status;
    MPI_Iprobe(from, 0, comm_, &there, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.resize(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data(), bytes, MPI_BYTE, from, 0, comm_, &status);
    return true;
  }

  std::recursive_mutex alone;  ///< of a job of one rank; f may ask the grid
  void after_fork_in_child() noexcept { new (&alone) std::recursive_mutex; }  // f's caller there is gone

 private:
  State& state(int r) { return state_[static_cast<std::size_t>(r)]; }

  // A communicator of its own. Collective, so one that a rank does not come to would never end.
  void meet(MPI_Comm of) {
    MPI_Request met;
    MPI_Comm_idup(of, &comm_, &met);
    const auto within = [&](auto&& attempt, double seconds) {
      for (Nap nap; !attempt(); nap.sleep())
        if (nap.seconds() > seconds) return false;
      return true;
    };
    const auto all_here = [&] {
      int flag = 0;
      MPI_Test(&met, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    };
    if (within(all_here, patience_)) return;
    // Who is here says so, one to the other.
    std::string missing;
    const int tag = 31'999;
    if (rank_ == 0) {
      for (int r = 1; r < size_; ++r) {
        const auto is_here = [&] {
          int flag = 0;
          MPI_Iprobe(r, tag, of, &flag, MPI_STATUS_IGNORE);
          return flag != 0;
        };
        if (within(is_here, 0.5))
          MPI_Recv(nullptr, 0, MPI_BYTE, r, tag, of, MPI_STATUS_IGNORE);
        else
          missing += (missing.empty() ? "rank " : ", ") + to_text(r);
      }
    } else {
      MPI_Request here;
      MPI_Isend(nullptr, 0, MPI_BYTE, 0, tag, of, &here);
      MPI_Request_free(&here);
      missing = "another rank";
    }
    throw std::runtime_error("MpiRanks: within " + to_text(patience_) + " s (MpiOptions::patience) " + missing +
                             " has not made its MpiRanks; all ranks must");
  }

  int first_unknown() {
    int missing = 0;
    for (int r = size_ - 1; r > 0; --r) {
      std::vector<std::byte> message;
      if (state(r) == State::unknown && receive(r, message)) {
        state(r) = message.empty() ? State::left : State::idle;
        if (!message.empty()) {
          Reader hello(message);
          const auto shape = hello.get<decltype(Served::shape)>();
          served_[r] = {shape, hello.text()};
        }
      }
      if (state(r) == State::unknown) missing = r;
    }
    return missing;
  }
  void require_served_by_all_heard(const Served& wanted) {
    for (int r = 1; r < size_; ++r) {
      if (state(r) == State::left)
        throw std::runtime_error("MpiRanks: rank " + to_text(r) + " ended and does not serve f (any more)");
      if (state(r) != State::unknown && !(served_[r] == wanted))
        throw std::invalid_argument("MpiRanks: rank " + to_text(r) + " serves a function of " + served_[r].text() +
                                    ", rank 0 asks for one of " + wanted.text());
    }
  }
  void require_the_same(const Served& wanted, std::uint64_t made) {
    const auto [first, is_first] = made_.emplace(wanted.identity, made);
    if (!is_first && first->second != made)
      throw std::invalid_argument(
          "MpiRanks: two functions of one type, of which nobody can tell whether they are the one that the ranks "
          "serve, " +
          wanted.text() + "; give them a fingerprint(), or a name on all ranks (MpiRanks::named)");
  }

  static int at_finalize(MPI_Comm, int, void* job, void*) {
    static_cast<Job*>(job)->end();
    return MPI_SUCCESS;
  }
  void end() noexcept {
    if (ended_ || getpid() != process_) return;
    if (rank_ == 0) {
      Nap nap;  // those that still evaluate for a query that was given up may answer first
      for (int r = 1; r < size_; ++r) {
        std::vector<std::byte> message;
        while (state(r) == State::given_up && !receive(r, message) && nap.seconds() < patience_) nap.sleep();
        if (state(r) != State::left) say_nothing(r);
      }
    } else if (!said_) {
      say_nothing(0);
    }
    ended_ = true;
    MPI_Comm_free(&comm_);
  }
  // An empty message, for which nobody waits.
  void say_nothing(int to) {
    const std::lock_guard lock(mpi_);
    MPI_Request sent;
    MPI_Isend(nullptr, 0, MPI_BYTE, to, 0, comm_, &sent);
    MPI_Request_free(&sent);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, ends_with_mpi_ = MPI_KEYVAL_INVALID;
  double patience_;
  pid_t process_;
  bool said_ = false, done_ = false, ended_ = false;
  std::vector<State> state_;
  std::map<int, Served> served_;
  std::map<std::string, std::uint64_t> made_;
  std::mutex mpi_, ranks_;
  AtFork<Job> at_fork_{*this};
};

}  // namespace quoin::mpi_detail
