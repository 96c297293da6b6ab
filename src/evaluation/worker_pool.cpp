// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/worker_pool.hpp"

#include "quoin/core/multi_index.hpp"
#include "quoin/core/to_text.hpp"

#include "evaluation/worker_process.hpp"
#include "evaluation/worker_protocol.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace quoin {

namespace {
using Clock = std::chrono::steady_clock;
using evaluation_detail::Nonsense;
using evaluation_detail::WorkerProcess;
using std::chrono::milliseconds;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }
}  // namespace

/// A place in the pool: the process that works there, if one does, and what it was asked last.
class WorkerPool::Worker {
 public:
  Worker(const WorkerOptions& options, int number, int variables)
      : options_(options), number_(number), variables_(variables) {}

  /// Starts a process where there is none. Throws std::runtime_error.
  void start() {
    if (process_) return;
    process_ = std::make_unique<WorkerProcess>(options_, number_);
    greeted_ = false;
    since_ = Clock::now();
    process_->send(evaluation_detail::greeting(variables_));
  }
  /// Has it evaluate at x as soon as it is ready.
  void ask(const Eigen::Ref<const Eigen::VectorXd>& x) {
    question_ = evaluation_detail::question(x);
    if (greeted_) send_question();
  }

  bool greeted() const { return greeted_; }
  int descriptor() const { return process_->descriptor(); }
  double seconds() const { return seconds_since(since_); }
  double seconds_left() const { return options_.time_limit - seconds(); }

  /// Reads what has come. A greeting is compared with that of the pool, unless it is the pool's first; the question
  /// goes out behind it. Throws Nonsense for all that is no answer: words, silence, the end of the process.
  std::optional<WorkerAnswer> read(std::optional<WorkerFunction>& function) {
    const bool more_may_come = process_->receive();
    std::size_t used = 0;
    if (!greeted_) {
      if (const auto greeting = evaluation_detail::read_greeting(process_->received(), used)) {
        process_->take(used);
        if (!function) function = *greeting;
        if (*function != *greeting)
          throw std::invalid_argument(who() + " evaluates another function than the first: " + described(*greeting) +
                                      " instead of " + described(*function));
        greeted_ = true;
        if (!question_.empty()) send_question();
        return std::nullopt;
      }
    } else if (auto answer = evaluation_detail::read_answer(
                   process_->received(), function->output_size,
                   static_cast<Eigen::Index>(jet_size(variables_, function->jet_order)), used)) {
      process_->take(used);
      if (question_.empty() || !process_->received().empty())
        throw Nonsense{"it said more than was asked: '" + std::string(process_->received().substr(0, 80)) + "'"};
      question_.clear();
      answer->seconds = seconds();
      return answer;
    }
    if (seconds_left() <= 0) throw Nonsense{"no answer within " + to_text(options_.time_limit) + " s"};
    if (!more_may_come) throw Nonsense{process_->has_ended(milliseconds(500)) ? "" : "it has closed its descriptor 4"};
    return std::nullopt;
  }

  /// Ends the process, and says what was wrong with it.
  std::string end(const std::string& reason) {
    process_->kill();
    const std::string what = who() + ": " + (reason.empty() ? process_->state() : reason);
    forget();
    return what;
  }
  void forget() {
    process_.reset();
    question_.clear();
    greeted_ = false;
  }

  WorkerProcess* process() { return process_.get(); }
  std::string who() const { return "worker " + to_text(number_) + " ('" + options_.command.front() + "')"; }

 private:
  void send_question() {
    since_ = Clock::now();
    process_->send(question_);  // where nobody takes it, nobody answers either
  }
  static std::string described(const WorkerFunction& function) {
    return to_text(function.output_size) + " outputs, order " + to_text(function.jet_order) + ", '" +
           function.fingerprint + "'";
  }

  const WorkerOptions& options_;
  int number_, variables_;
  std::unique_ptr<WorkerProcess> process_;
  bool greeted_ = false;
  std::string question_;
  Clock::time_point since_;  // the process was started, or the question asked
};

/// The workers, and which of them are idle.
struct WorkerPool::Shared {
  WorkerOptions options;
  std::deque<Worker> workers;
  std::vector<Worker*> idle;
  std::size_t restarts = 0;
  std::mutex mutex;  // of the two above
  std::condition_variable one_is_idle;

  /// An idle worker, or nullptr if there is none within this time.
  Worker* take(milliseconds within) {
    std::unique_lock lock(mutex);
    if (!one_is_idle.wait_for(lock, within, [&] { return !idle.empty(); })) return nullptr;
    Worker* const worker = idle.front();  // the one that has failed last is the last to be asked again
    idle.erase(idle.begin());
    return worker;
  }
  void give_back(Worker* worker) noexcept {
    {
      const std::lock_guard lock(mutex);
      idle.push_back(worker);  // has the room
    }
    one_is_idle.notify_one();
  }
  void count_restart() {
    const std::lock_guard lock(mutex);
    ++restarts;
  }
};

/// One call of evaluate: who works on what.
class WorkerPool::Round {
 public:
  using Answered = std::function<void(Eigen::Index m, WorkerAnswer answer)>;

  Round(Shared& shared, std::optional<WorkerFunction> function, const Eigen::Ref<const Eigen::MatrixXd>& points,
        const Answered& answered)
      : shared_(shared), function_(std::move(function)), points_(points), answered_(answered) {
    for (Eigen::Index m = 0; m < points.cols(); ++m) waiting_.push_back({m});
    busy_.reserve(shared.workers.size());
  }
  ~Round() {
    for (Busy& busy : busy_) {  // it was given up
      busy.worker->forget();
      shared_.give_back(busy.worker);
    }
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  bool done() const { return waiting_.empty() && busy_.empty(); }

  /// Hands out what can be, and takes in what comes within a tenth of a second.
  void step() {
    while (!waiting_.empty()) {
      Worker* const worker = shared_.take(busy_.empty() ? patience : milliseconds(0));
      if (worker == nullptr) break;
      const Task task = waiting_.front();
      waiting_.pop_front();
      busy_.push_back({worker, task});
      try {
        worker->start();
        worker->ask(points_.col(task.m));
      } catch (const std::runtime_error& error) {
        worker->forget();
        lose(busy_.size() - 1, error.what());
      }
    }
    for (const std::size_t i : to_be_heard()) {
      Busy& busy = busy_[i];
      try {
        std::optional<WorkerAnswer> answer = busy.worker->read(function_);
        if (!answer) continue;
        const Eigen::Index m = busy.task.m;
        release(i);
        answered_(m, std::move(*answer));
      } catch (const Nonsense& nonsense) {
        lose(i, busy.worker->end(nonsense.reason));
      } catch (const std::invalid_argument& error) {  // another function than before
        busy.worker->end({});
        lose(i, error.what());
      }
    }
  }

 private:
  struct Task {
    Eigen::Index m;
    int lost = 0;  // workers
  };
  struct Busy {
    Worker* worker;
    Task task;
  };
  static constexpr milliseconds patience{100};

  // Those that have something to say, or should have had; last ones first, so that each can be taken out of busy_.
  std::vector<std::size_t> to_be_heard() {
    std::vector<pollfd> descriptors;
    double wait = waiting_.empty() ? 0.1 : 0.02;  // another call may give workers back
    for (const Busy& busy : busy_) {
      descriptors.push_back({.fd = busy.worker->descriptor(), .events = POLLIN, .revents = 0});
      wait = std::min(wait, std::max(busy.worker->seconds_left(), 0.0));
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(std::ceil(1e3 * wait)));
    std::vector<std::size_t> which;
    for (std::size_t i = busy_.size(); i-- > 0;)
      if (descriptors[i].revents != 0 || busy_[i].worker->seconds_left() <= 0) which.push_back(i);
    return which;
  }

  void release(std::size_t i) {
    shared_.give_back(busy_[i].worker);
    busy_[i] = busy_.back();
    busy_.pop_back();
  }

  // A worker has failed its task: it goes to another, or has failed.
  void lose(std::size_t i, const std::string& reason) {
    Task task = busy_[i].task;
    release(i);
    shared_.count_restart();
    if (++task.lost < shared_.options.attempts) return waiting_.push_back(task);
    const std::string tries = task.lost > 1 ? " (the last of " + to_text(task.lost) + " attempts)" : "";
    answered_(task.m, {.jet = {}, .reason = reason + tries, .retry = true});
  }

  Shared& shared_;
  std::optional<WorkerFunction> function_;
  const Eigen::Ref<const Eigen::MatrixXd>& points_;
  const Answered& answered_;
  std::deque<Task> waiting_;
  std::vector<Busy> busy_;
};

WorkerPool::WorkerPool(int variables, WorkerOptions options) : shared_(std::make_unique<Shared>()) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("WorkerOptions::" + what); };
  if (options.command.empty() || options.command.front().empty()) refuse("command is empty");
  if (options.count < 1) refuse("count = " + to_text(options.count) + ", expected at least 1");
  if (!(options.time_limit > 0)) refuse("time_limit = " + to_text(options.time_limit) + " s is not positive");
  if (options.attempts < 1) refuse("attempts = " + to_text(options.attempts) + ", expected at least 1");
  shared_->options = std::move(options);
  for (int k = 0; k < shared_->options.count; ++k) shared_->workers.emplace_back(shared_->options, k, variables);
  for (Worker& worker : shared_->workers) worker.start();
  std::optional<WorkerFunction> function;
  for (Worker& worker : shared_->workers) {
    while (!worker.greeted()) {
      const double wait = std::clamp(worker.seconds_left(), 0.0, 1.0);
      pollfd descriptor{.fd = worker.descriptor(), .events = POLLIN, .revents = 0};
      poll(&descriptor, 1, static_cast<int>(std::ceil(1e3 * wait)));
      try {
        worker.read(function);
      } catch (const Nonsense& nonsense) {
        throw std::runtime_error(worker.end(nonsense.reason));
      }
    }
    shared_->idle.push_back(&worker);
  }
  function_ = *function;
}

WorkerPool::~WorkerPool() {
  // All are told at once, and have half a second together.
  const auto until = Clock::now() + milliseconds(500);
  for (Worker& worker : shared_->workers)
    if (worker.process()) worker.process()->close_input();
  for (Worker& worker : shared_->workers)
    if (worker.process())
      worker.process()->has_ended(
          std::max(std::chrono::duration_cast<milliseconds>(until - Clock::now()), milliseconds(0)));
}

void WorkerPool::evaluate(const Eigen::Ref<const Eigen::MatrixXd>& points,
                          const std::function<void(Eigen::Index m, WorkerAnswer answer)>& answered,
                          const std::function<void()>& stopped) {
  Round round(*shared_, function_, points, answered);
  while (!round.done()) {
    if (stopped) stopped();
    round.step();
  }
}

std::size_t WorkerPool::restarts() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->restarts;
}

}  // namespace quoin
