// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/worker_pool.hpp"

#include "quoin/util/at_fork.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include "evaluation/worker.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

namespace {
using Clock = std::chrono::steady_clock;
using evaluation_detail::Nonsense;
using evaluation_detail::Worker;
using std::chrono::milliseconds;

// The program and the log that the names mean now, whatever the process's folder is when a worker is started again.
void fix_paths(WorkerOptions& options) {
  std::string& program = options.launcher.empty() ? options.command.front() : options.launcher.front();
  if (program.find('/') != program.npos) program = std::filesystem::absolute(program).string();
  if (options.log.empty()) return;
  options.log = std::filesystem::absolute(options.log);
  if (std::filesystem::is_fifo(options.log) || std::filesystem::is_directory(options.log))
    throw std::invalid_argument("WorkerOptions::log = " + options.log.string() + " is no file");
  if (!std::filesystem::is_directory(options.log.parent_path()))
    throw std::invalid_argument("WorkerOptions::log = " + options.log.string() + ": there is no such folder");
}
}  // namespace

/// The workers, and which of them are idle.
struct WorkerPool::Shared {
  WorkerOptions options;
  std::deque<Worker> workers;
  std::vector<Worker*> idle;
  std::size_t restarts = 0;
  std::mutex mutex;  // of the two above
  std::condition_variable one_is_idle;
  ForkSafeMutex changing;  // processes start and end under it, so that no fork meets half of one

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
  void start(Worker& worker) {
    const std::lock_guard lock(changing);
    worker.start();
  }
  void forget(Worker& worker) {
    const std::lock_guard lock(changing);
    worker.forget();
  }
  std::string end(Worker& worker, const std::string& reason) {
    const std::lock_guard lock(changing);
    return worker.end(reason);
  }

  /// The processes are the parent's. Those of the child start when they are needed.
  void after_fork_in_child() noexcept {
    std::construct_at(&mutex);  // the old ones may be held and waited for by threads that are gone
    std::construct_at(&one_is_idle);
    idle.clear();
    for (Worker& worker : workers) {
      worker.leave_to_parent();
      idle.push_back(&worker);  // has the room
    }
    restarts = 0;
  }
  AtFork<Shared> at_fork{*this};
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
    take_back_after_fork();
    for (Busy& busy : busy_) {  // it was given up
      shared_.forget(*busy.worker);
      shared_.give_back(busy.worker);
    }
  }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

  bool done() const { return waiting_.empty() && busy_.empty(); }
  /// Of the first worker of which there is something to say.
  std::string silence() const {
    for (const Busy& busy : busy_)
      if (std::string what = busy.worker->silence(); !what.empty()) return what;
    return {};
  }

  /// Hands out what can be, and takes in what comes within a tenth of a second.
  void step() {
    take_back_after_fork();
    while (!waiting_.empty()) {
      Worker* const worker = shared_.take(busy_.empty() ? patience : milliseconds(0));
      if (worker == nullptr) break;
      const Task task = waiting_.front();
      waiting_.pop_front();
      busy_.push_back({worker, task});
      try {
        shared_.start(*worker);
        worker->ask(points_.col(task.m));
      } catch (const std::runtime_error& error) {
        shared_.forget(*worker);
        lose(busy_.size() - 1, error.what());
      }
    }
    for (const std::size_t i : to_be_heard()) {
      if (forks_ != forks_so_far()) return;  // who was told of the last answer has forked
      Busy& busy = busy_[i];
      try {
        std::optional<WorkerAnswer> answer = busy.worker->read(function_);
        if (!answer) continue;
        const Eigen::Index m = busy.task.m;
        release(i);
        answered_(m, std::move(*answer));
      } catch (const Nonsense& nonsense) {
        lose(i, shared_.end(*busy.worker, nonsense.reason));
      } catch (const std::invalid_argument& error) {  // another function than before
        shared_.forget(*busy.worker);
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
    Clock::time_point now = Clock::now();
    for (const Busy& busy : busy_) {
      descriptors.push_back({.fd = busy.worker->descriptor(), .events = POLLIN, .revents = 0});
      wait = std::min(wait, std::max(busy.worker->seconds_left(now), 0.0));
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(std::ceil(1e3 * wait)));
    std::vector<std::size_t> which;
    now = Clock::now();
    for (std::size_t i = busy_.size(); i-- > 0;)
      if (descriptors[i].revents != 0 || busy_[i].worker->is_due(now)) which.push_back(i);
    return which;
  }

  // What was asked for by who called `answered` or `stopped` and forked there: in the child nobody works on it.
  void take_back_after_fork() {
    if (forks_ == forks_so_far()) return;
    forks_ = forks_so_far();
    for (const Busy& busy : busy_) waiting_.push_back(busy.task);
    busy_.clear();
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
  unsigned forks_ = forks_so_far();
};

WorkerPool::WorkerPool(int variables, WorkerOptions options)
    : variables_(variables), shared_(std::make_unique<Shared>()) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("WorkerOptions::" + what); };
  if (options.command.empty() || options.command.front().empty()) refuse("command is empty");
  if (options.count < 1) refuse("count = " + to_text(options.count) + ", expected at least 1");
  if (!(options.time_limit > 0)) refuse("time_limit = " + to_text(options.time_limit) + " s is not positive");
  if (options.attempts < 1) refuse("attempts = " + to_text(options.attempts) + ", expected at least 1");
  for (const auto* words : {&options.command, &options.launcher})
    for (const std::string& word : *words)
      if (word.find('\0') != word.npos)
        refuse("command: '" + std::string(word.c_str()) + "' and a NUL, which no word has");
  fix_paths(options);
  shared_->options = std::move(options);
  for (int k = 0; k < shared_->options.count; ++k) shared_->workers.emplace_back(shared_->options, k, variables);
  shared_->idle.reserve(shared_->workers.size());
  for (Worker& worker : shared_->workers) shared_->start(worker);
  std::optional<WorkerFunction> function;
  for (Worker& worker : shared_->workers) {
    while (!worker.greeted()) {
      if (Watch* const watch = Watch::current()) watch->throw_if_stopped();
      const double wait = std::clamp(worker.seconds_left(Clock::now()), 0.0, 0.1);
      pollfd descriptor{.fd = worker.descriptor(), .events = POLLIN, .revents = 0};
      poll(&descriptor, 1, static_cast<int>(std::ceil(1e3 * wait)));
      try {
        worker.read(function);
      } catch (const Nonsense& nonsense) {
        throw std::runtime_error(shared_->end(worker, nonsense.reason));
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
                          const std::function<void(const std::string& silence)>& waiting) {
  Round round(*shared_, function_, points, answered);
  while (!round.done()) {
    if (waiting) waiting(round.silence());
    round.step();
  }
}

std::size_t WorkerPool::restarts() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->restarts;
}

}  // namespace quoin
