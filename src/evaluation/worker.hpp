// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/worker_pool.hpp"

#include "evaluation/worker_process.hpp"
#include "evaluation/worker_protocol.hpp"

#include <Eigen/Core>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace quoin::evaluation_detail {

/// A place in a pool: the process that works there, if one does, and what it was asked last.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  /// Keeps a reference to the options.
  Worker(const WorkerOptions& options, int number, int variables)
      : options_(options), number_(number), variables_(variables) {}

  /// Starts a process where there is none. Throws std::runtime_error.
  void start();
  /// Has it evaluate at x as soon as it is ready.
  void ask(const Eigen::Ref<const Eigen::VectorXd>& x);

  bool greeted() const { return greeted_; }
  int descriptor() const { return process_->descriptor(); }
  double seconds_left(Clock::time_point now) const { return options_.time_limit - seconds_between(since_, now); }
  /// It is to be read, though nothing has come: it may have ended or be stopped.
  bool is_due(Clock::time_point now) const { return now - heard_ >= attention || seconds_left(now) <= 0; }

  /// Reads what has come. A greeting is compared with that of the pool, unless it is the pool's first; the question
  /// goes out behind it. Answers to earlier questions are dropped. Throws Nonsense for all that is no answer: words,
  /// silence, the end of the process; std::invalid_argument for a worker of another function.
  std::optional<WorkerAnswer> read(std::optional<WorkerFunction>& function);

  /// "worker 3 ('sim') has been silent for 60 s", or is stopped; empty if it is asked nothing, or not for so long.
  std::string silence() const;

  /// Ends the process, and says what was wrong with it.
  std::string end(const std::string& reason);
  /// Ends the process.
  void forget();
  /// In the child of a fork, where the process is the parent's: forgets it, and starts another when it is asked.
  void leave_to_parent() noexcept;

  WorkerProcess* process() { return process_.get(); }

 private:
  void require_small(const WorkerFunction& function) const;
  void send_question();
  bool is_asked(const NumberedAnswer& said);
  void notice_stop();
  static double seconds_between(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  }
  std::string who() const;

  static constexpr std::chrono::milliseconds attention{100};
  static constexpr int patience_with_stopped = 600;  // times that it is found so: some 60 s
  static constexpr double long_silence = 60;         // seconds

  const WorkerOptions& options_;
  int number_, variables_;
  std::unique_ptr<WorkerProcess> process_;
  bool greeted_ = false;
  std::string question_;  // empty: none
  std::uint64_t number_of_question_ = 0;
  long asked_ = 0, dropped_ = 0;  // questions and answers of this process
  int found_stopped_ = 0, stopped_by_ = 0;
  Clock::time_point since_, heard_;  // since: the process was started, or the question asked
};

}  // namespace quoin::evaluation_detail
