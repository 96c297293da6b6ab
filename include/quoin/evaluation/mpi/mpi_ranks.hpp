// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/mpi/detail/job.hpp"
#include "quoin/evaluation/mpi/detail/messages.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/map/exact_function.hpp"

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// How ranks work together.
struct MpiOptions {
  /// Seconds that a rank waits for others: until all have made their MpiRanks, until all serve (with the first call of
  /// each grid; f may have to be made there), and as rank 0 ends, for those that still evaluate for a query that was
  /// given up. Positive.
  double patience = 60;
  /// Seconds that one evaluation may take on a rank; behind them the query fails with the rank's number. Positive.
  double time_limit = 3600;
};

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
/// A handle: the other ranks are done when the last copy on rank 0 is gone, or when it calls MPI_Finalize. Ranks that
/// wait sleep. A job of one rank calls f there, one call at a time. If a rank dies, Open MPI ends the job; what was
/// stored stays stored.
///
/// That a grid's function is the one that the ranks serve is checked with each call: variables, outputs, derivatives,
/// and its name (named()), fingerprint or type. Of one type without either there may be one function, and its copies.
class MpiRanks {
 public:
  static constexpr bool elsewhere = true;  ///< f runs in other processes: a grid needs none of its own

  /// Collective. Throws std::logic_error unless MPI was initialized with MPI_THREAD_SERIALIZED or more, as grids may be
  /// queried from several threads, and has not been finalized; std::runtime_error, on rank 0 with their numbers, if
  /// ranks do not make theirs within options.patience.
  explicit MpiRanks(MPI_Comm comm = MPI_COMM_WORLD, const MpiOptions& options = {})
      : job_(std::make_shared<mpi_detail::Job>(comm, options.patience)), time_limit_(options.time_limit) {
    if (!(time_limit_ > 0)) throw std::invalid_argument("MpiOptions::time_limit = " + to_text(time_limit_));
  }

  /// The same ranks for the function of this name, which stands for all that its answers depend on: to be served and
  /// queried by the same.
  MpiRanks named(std::string name) const {
    MpiRanks ranks = *this;
    ranks.name_ = std::move(name);
    return ranks;
  }

  bool serves() const { return job_->rank() != 0; }  ///< this rank is not the one that queries
  /// The ranks that serve.
  int workers() const { return job_->size() - 1; }

  /// Evaluates what rank 0 asks for, and returns when it is done. Not to be called on rank 0. Throws
  /// std::invalid_argument if f's answers are longer than a message of MPI can be, 2 GB.
  template <int Dim, class F>
    requires SampleableFunction<F, Dim>
  void serve(F f) const {
    job_->require_mpi();
    if (!serves()) throw std::logic_error("MpiRanks::serve: rank 0 queries");
    const CornerFunction<Dim> function(std::move(f));
    mpi_detail::require_short_answers(function);
    job_->say_served(mpi_detail::Served::of(function, name_));
    std::vector<std::byte> message;
    while (job_->next(message)) {
      try {
        CornerSample<Dim> sample = mpi_detail::asked(message, function);
        job_->answer(mpi_detail::answer(sample, function));
      } catch (const std::exception& problem) {
        mpi_detail::Writer last;
        last.put(mpi_detail::Outcome::left);
        last.put(std::string_view("MpiRanks: rank " + to_text(job_->rank()) + " ended: " + problem.what()));
        job_->answer(std::move(last.bytes));
        throw;
      }
    }
  }

  /// On rank 0, for a grid. Throws std::invalid_argument, with both, if another rank serves another function, or if
  /// its answers are longer than 2 GB; std::runtime_error, with its number, if one does not serve within
  /// MpiOptions::patience, never will, or does not answer within the time limit; std::logic_error behind MPI_Finalize,
  /// and in a process that was forked from a rank.
  template <int Dim>
  void operator()(const CornerFunction<Dim>& f, std::span<CornerSample<Dim>> samples) const {
    if (samples.empty()) return;
    if (workers() == 0) {
      const std::lock_guard lock(job_->alone);
      for (CornerSample<Dim>& sample : samples) f.evaluate(sample);
      return;
    }
    job_->require_mpi();
    mpi_detail::require_short_answers(f);
    const auto throw_if_stopped = [&] { samples.front().throw_if_stopped(); };
    job_->require_served(mpi_detail::Served::of(f, name_), name_.empty() ? f.identity().made : 0, throw_if_stopped);
    Round round(*job_);
    std::size_t next = 0;
    for (mpi_detail::Nap nap; next < samples.size() || !round.busy.empty();) {
      throw_if_stopped();
      bool moved = false;
      for (int rank; next < samples.size() && (rank = job_->take_idle()) > 0; moved = true) {
        round.busy.push_back({rank, next, {}});
        job_->ask(rank, mpi_detail::question(samples[next++]));
      }
      for (std::size_t i = round.busy.size(); i-- > 0;) {
        std::vector<std::byte> message;
        const auto [rank, m, since] = round.busy[i];
        if (!job_->receive(rank, message)) {
          require_in_time(since, rank);
          continue;
        }
        moved = true;
        round.busy.erase(round.busy.begin() + static_cast<std::ptrdiff_t>(i));
        job_->give_back(rank, mpi_detail::Job::after(message));
        mpi_detail::take_in(message, f, samples[m]);
      }
      if (round.busy.empty() && !moved) require_in_time(nap, job_->given_up());
      moved ? nap.restart() : nap.sleep();
    }
  }

 private:
  // Throws if this rank, 0: none, has been asked too long ago.
  void require_in_time(const mpi_detail::Nap& since, int rank) const {
    if (rank > 0 && since.seconds() > time_limit_)
      throw std::runtime_error("MpiRanks: rank " + to_text(rank) + " has not answered within " + to_text(time_limit_) +
                               " s (MpiOptions::time_limit)");
  }

  // The ranks that evaluate for one call; if it ends early, their answers are not waited for.
  struct Round {
    explicit Round(mpi_detail::Job& of) : job(of) {}
    ~Round() {
      for (const auto& [rank, m, since] : busy) job.give_back(rank, mpi_detail::Job::State::given_up);
    }
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

    struct Asked {
      int rank;
      std::size_t sample;
      mpi_detail::Nap since;
    };
    mpi_detail::Job& job;
    std::vector<Asked> busy;
  };

  std::shared_ptr<mpi_detail::Job> job_;
  double time_limit_;
  std::string name_;
};

}  // namespace quoin
