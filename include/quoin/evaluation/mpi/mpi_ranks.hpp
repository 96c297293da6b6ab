// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/exact_function.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/evaluator.hpp"

#include <Eigen/Core>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin {

/// Evaluates on the ranks of an MPI job: rank 0 queries, the others call f, one sample at a time. Every rank makes the
/// same f. Link quoin::mpi (docs/evaluators.md).
///
///   MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
///   {
///     const MpiRanks ranks;                              // collective
///     if (ranks.serves()) {
///       ranks.serve<4>(f);                               // until rank 0 is done
///     } else {
///       AdaptiveGrid<4> grid(f, options, ranks);
///       ...
///     }
///   }
///   MPI_Finalize();
///
/// A handle: the other ranks are done when the last copy on rank 0 is gone. Ranks that wait sleep. A job of one rank
/// calls f there, one call at a time. If a rank dies, Open MPI ends the job; what was stored stays stored.
class MpiRanks {
 public:
  static constexpr bool elsewhere = true;  ///< f runs in other processes: a grid needs none of its own

  /// Collective. Throws std::logic_error unless MPI was initialized with MPI_THREAD_SERIALIZED or more, as grids may be
  /// queried from several threads, and has not been finalized.
  explicit MpiRanks(MPI_Comm comm = MPI_COMM_WORLD) : job_(std::make_shared<Job>(comm)) {}

  bool serves() const { return job_->rank != 0; }  ///< this rank is not the one that queries
  /// The ranks that serve.
  int workers() const { return job_->size - 1; }

  /// Evaluates what rank 0 asks for, and returns when it is done. Not to be called on rank 0.
  template <int Dim, class F>
    requires SampleableFunction<F, Dim>
  void serve(F f) const {
    if (!serves()) throw std::logic_error("MpiRanks::serve: rank 0 queries");
    const CornerFunction<Dim> function(std::move(f));
    Writer hello;
    hello.put(Shape::of(function));
    job_->send(0, hello.bytes);
    for (;;) {
      std::vector<std::byte> message;
      for (Nap nap; !job_->receive(0, message);) nap.sleep();
      if (message.empty()) return;
      Reader question(message);
      CornerSample<Dim> sample{.x = question.get<Point<Dim>>(), .jet = {}, .reason = {}};
      if (question.get<bool>()) {
        auto start = std::make_shared<SolvedCorner<Dim>>();
        start->x = question.get<Point<Dim>>();
        start->branch = question.get<int>();
        question.get(start->jet, function.output_size(), function.derivatives());
        sample.start = std::move(start);
      }
      Writer answer;
      try {
        function.evaluate(sample);
        answer.put(sample.reason.empty() ? Outcome::jet : sample.retry ? Outcome::retry : Outcome::failed);
      } catch (const Interrupted& interruption) {
        answer.put(Outcome::interrupted);
        sample.reason = interruption.what();
      }
      answer.put(sample.branch);
      answer.put(sample.seconds);
      if (sample.reason.empty())
        answer.put(sample.jet);
      else
        answer.put(std::string_view(sample.reason));
      job_->send(0, answer.bytes);
    }
  }

  /// On rank 0, for a grid. Throws std::invalid_argument, with both, if another rank serves another kind of function.
  template <int Dim>
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    if (workers() == 0) {
      const std::lock_guard lock(job_->alone);
      for (CornerSample<Dim>& sample : samples) f.evaluate(sample);
      return;
    }
    Round round(*job_);
    std::size_t next = 0;
    for (Nap nap; next < samples.size() || !round.busy.empty();) {
      for (const CornerSample<Dim>& sample : samples.first(1)) sample.throw_if_stopped();
      bool moved = false;
      for (int rank; next < samples.size() && (rank = job_->take_idle(Shape::of(f))) > 0; moved = true) {
        round.busy.push_back({rank, next});
        job_->send(rank, question(samples[next++]));
      }
      for (std::size_t i = round.busy.size(); i-- > 0;) {
        std::vector<std::byte> message;
        const auto [rank, m] = round.busy[i];
        if (!job_->receive(rank, message)) continue;
        moved = true;
        round.busy.erase(round.busy.begin() + static_cast<std::ptrdiff_t>(i));
        job_->give_back(rank);
        take_in(message, f, samples[m]);
      }
      moved ? nap.restart() : nap.sleep();
    }
  }

 private:
  enum class Outcome : int { jet, failed, retry, interrupted };

  // What must be the same of the functions of all ranks, as far as it can be told.
  struct Shape {
    std::array<long long, 3> numbers;  // dim, outputs, derivatives
    template <int Dim>
    static Shape of(const CornerFunction<Dim>& f) {
      return {{Dim, f.output_size(), f.derivatives()}};
    }
    bool operator==(const Shape&) const = default;
    std::string text() const {
      return to_text(numbers[0]) + " variables, " + to_text(numbers[1]) + " outputs and " + to_text(numbers[2]) +
             " derivatives";
    }
  };

  // Messages are bytes: all ranks run the same program.
  struct Writer {
    std::vector<std::byte> bytes;

    template <class Value>
      requires std::is_trivially_copyable_v<Value>
    void put(const Value& value) {
      put_bytes(&value, sizeof value);
    }
    template <int Dim>
    void put(const Eigen::Matrix<double, Dim, 1>& point) {
      put_bytes(point.data(), sizeof(double) * Dim);
    }
    void put(const Eigen::MatrixXd& jet) {
      put_bytes(jet.data(), sizeof(double) * static_cast<std::size_t>(jet.size()));
    }
    void put(std::string_view text) { put_bytes(text.data(), text.size()); }

   private:
    void put_bytes(const void* data, std::size_t size) {
      const auto* first = static_cast<const std::byte*>(data);
      bytes.insert(bytes.end(), first, first + size);
    }
  };
  class Reader {
   public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <class Value>
    Value get() {
      Value value;
      if constexpr (requires { value.data(); })
        get_bytes(value.data(), sizeof(double) * static_cast<std::size_t>(value.size()));
      else
        get_bytes(&value, sizeof value);
      return value;
    }
    void get(Eigen::MatrixXd& jet, Eigen::Index rows, Eigen::Index cols) {
      jet.resize(rows, cols);
      get_bytes(jet.data(), sizeof(double) * static_cast<std::size_t>(jet.size()));
    }
    std::string text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

   private:
    void get_bytes(void* data, std::size_t size) {
      if (size > rest_.size())
        throw std::runtime_error("MpiRanks: a message is " + to_text(size - rest_.size()) + " bytes too short");
      std::memcpy(data, rest_.data(), size);
      rest_ = rest_.subspan(size);
    }
    std::span<const std::byte> rest_;
  };

  // Waiting without work: MPI's own receive would keep a core busy. A twentieth of the time waited so far, at most a
  // millisecond.
  class Nap {
   public:
    void sleep() {
      using std::chrono::microseconds;
      const auto waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - since_);
      std::this_thread::sleep_for(std::clamp(waited / 20, microseconds(5), microseconds(1000)));
    }
    void restart() { since_ = std::chrono::steady_clock::now(); }

   private:
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  };

  // The communicator, and on rank 0 who is idle. MPI is called by one thread at a time.
  struct Job {
    explicit Job(MPI_Comm of) {
      int initialized = 0, finalized = 0, provided = MPI_THREAD_SINGLE;
      MPI_Initialized(&initialized);
      MPI_Finalized(&finalized);
      if (initialized && !finalized) MPI_Query_thread(&provided);
      if (provided < MPI_THREAD_SERIALIZED)
        throw std::logic_error("MpiRanks: MPI must be initialized by MPI_Init_thread with MPI_THREAD_SERIALIZED (" +
                               to_text(int{MPI_THREAD_SERIALIZED}) + "), it gives " + to_text(provided));
      MPI_Comm_dup(of, &comm);
      MPI_Comm_rank(comm, &rank);
      MPI_Comm_size(comm, &size);
      if (rank == 0) state.resize(static_cast<std::size_t>(size), State::unknown);
    }
    ~Job() {
      int finalized = 0;
      MPI_Finalized(&finalized);
      if (finalized) return;
      if (rank == 0) {
        for (int r = 1; r < size; ++r) {  // those that still evaluate for a query that was given up answer first
          std::vector<std::byte> message;
          for (Nap nap; state[static_cast<std::size_t>(r)] != State::idle && !receive(r, message);) nap.sleep();
          send(r, {});
        }
      }
      MPI_Comm_free(&comm);
    }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    void send(int to, const std::vector<std::byte>& message) {
      const std::lock_guard lock(mpi);
      MPI_Send(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, 0, comm);
    }
    // False if nothing has come from there.
    bool receive(int from, std::vector<std::byte>& message) {
      const std::lock_guard lock(mpi);
      int there = 0, bytes = 0;
      MPI_Status status;
      MPI_Iprobe(from, 0, comm, &there, &status);
      if (!there) return false;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      message.resize(static_cast<std::size_t>(bytes));
      MPI_Recv(message.data(), bytes, MPI_BYTE, from, 0, comm, &status);
      return true;
    }

    // A rank with nothing to do, which serves such a function; 0 if there is none.
    int take_idle(const Shape& wanted) {
      const std::lock_guard lock(ranks);
      for (int r = 1; r < size; ++r) {
        State& of_rank = state[static_cast<std::size_t>(r)];
        std::vector<std::byte> message;
        if (of_rank == State::given_up && receive(r, message)) of_rank = State::idle;
        if (of_rank == State::unknown && receive(r, message)) {
          const Shape shape = Reader(message).get<Shape>();
          of_rank = State::idle;
          if (shape != wanted)
            throw std::invalid_argument("MpiRanks: rank " + to_text(r) + " serves a function of " + shape.text() +
                                        ", rank 0 asks for one of " + wanted.text());
        }
        if (of_rank != State::idle) continue;
        of_rank = State::busy;
        return r;
      }
      return 0;
    }
    void give_back(int r, bool still_evaluates = false) {
      const std::lock_guard lock(ranks);
      state[static_cast<std::size_t>(r)] = still_evaluates ? State::given_up : State::idle;
    }

    enum class State { unknown, idle, busy, given_up };

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
    std::vector<State> state;
    std::mutex mpi, ranks;
    std::recursive_mutex alone;  // f may ask the grid
  };

  // The ranks that evaluate for one call; if it ends early, their answers are not waited for.
  struct Round {
    explicit Round(Job& of) : job(of) {}
    ~Round() {
      for (const auto& [rank, m] : busy) job.give_back(rank, true);
    }
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

    Job& job;
    std::vector<std::pair<int, std::size_t>> busy;
  };

  template <int Dim>
  static std::vector<std::byte> question(const CornerSample<Dim>& sample) {
    Writer message;
    message.put(sample.x);
    message.put(sample.start != nullptr);
    if (sample.start) {
      message.put(sample.start->x);
      message.put(sample.start->branch);
      message.put(sample.start->jet);
    }
    return std::move(message.bytes);
  }

  template <int Dim>
  static void take_in(std::span<const std::byte> message, const CornerFunction<Dim>& f, CornerSample<Dim>& sample) {
    Reader answer(message);
    const auto outcome = answer.get<Outcome>();
    sample.branch = answer.get<int>();
    sample.seconds = answer.get<double>();
    if (outcome == Outcome::interrupted) throw Interrupted(answer.text());
    if (outcome == Outcome::jet) {
      answer.get(sample.jet, f.output_size(), f.derivatives());
    } else {
      sample.reason = answer.text();
      sample.retry = outcome == Outcome::retry;
    }
    sample.tell();
  }

  std::shared_ptr<Job> job_;
};

}  // namespace quoin
